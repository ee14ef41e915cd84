package main

import (
	"fmt"
	"net/http"
	"os"
	"strings"
)

// Asks the page's snippet: KIND SECRET BODY_FILE NAME=VALUE…
func main() {
	headers := http.Header{}
	for _, one := range os.Args[4:] {
		name, value, _ := strings.Cut(one, "=")
		headers.Set(name, value)
	}
	body, err := os.ReadFile(os.Args[3])
	if err != nil {
		panic(err)
	}
	judge := IsGenuine
	if os.Args[1] == "t49" {
		judge = IsGenuineT49
	}
	if judge(os.Args[2], headers, body) {
		fmt.Println("accepted")
	} else {
		fmt.Println("refused")
	}
}
