import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/** Asks the page's snippet: KIND SECRET BODY_FILE NAME=VALUE… */
final class Driver {
    public static void main(String[] arguments) throws Exception {
        Map<String, String> headers = new HashMap<>();
        for (int i = 3; i < arguments.length; i++) {
            String[] named = arguments[i].split("=", 2);
            headers.put(named[0], named[1]);
        }
        byte[] body = Files.readAllBytes(Path.of(arguments[2]));
        boolean good = arguments[0].equals("standard")
                ? Webhooks.isGenuine(arguments[1], headers, body)
                : Webhooks.isGenuineT49(arguments[1], headers, body);
        System.out.println(good ? "accepted" : "refused");
    }
}
