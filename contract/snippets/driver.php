<?php
// Asks the page's snippet: KIND SECRET BODY_FILE NAME=VALUE…
require __DIR__ . "/snippet.php";

[, $kind, $secret, $body] = $argv;
$headers = [];
foreach (array_slice($argv, 4) as $one) {
    [$name, $value] = explode("=", $one, 2);
    $headers[$name] = $value;
}
$judge = $kind === "standard" ? "is_genuine" : "is_genuine_t49";
echo $judge($secret, $headers, file_get_contents($body)) ? "accepted\n" : "refused\n";
