//! The reference with its console asks no other host for anything.

use crate::client::Client;
use crate::house::House;

#[tokio::test]
async fn the_page_is_served_whole_from_here() {
    let house = House::open().await;
    let client = Client::new(house.address);
    for (path, media) in [
        ("/docs", "text/html; charset=utf-8"),
        ("/docs/page.css", "text/css; charset=utf-8"),
        ("/docs/page.js", "text/javascript; charset=utf-8"),
    ] {
        let answer = client.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert_eq!(answer.header("content-type"), Some(media));
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.starts_with("default-src 'none'; script-src 'self';"));
        assert!(
            !policy.contains("unsafe") && !policy.contains("http"),
            "{policy}"
        );
        let names = answer.body.replace("http://www.w3.org/2000/svg", "");
        assert!(!names.contains("://"), "{path} names another host");
    }
    let home = client.get("/").await;
    assert!(home.body.contains("href=\"/docs\""), "{}", home.body);
    let page = client.get("/docs").await.body;
    assert!(!page.contains("<style") && !page.contains("onclick"));
}
