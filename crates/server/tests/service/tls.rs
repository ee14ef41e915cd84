//! Certificates of a test's own, and a socket that answers behind one.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;

use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::PrivateKeyDer;
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

/// A secured connection that was taken.
pub type Secured = StreamOwned<ServerConnection, TcpStream>;

/// A certificate with its key.
pub type Certified = CertifiedKey<KeyPair>;

/// A certificate for this name that trusts nobody but itself.
pub fn certificate(name: &str) -> Certified {
    generate_simple_self_signed(vec![name.to_owned()]).unwrap()
}

/// Writes what the service is to trust.
pub fn trust(path: &Path, certificates: &[&Certified]) {
    let texts = certificates.iter().map(|certified| certified.cert.pem());
    std::fs::write(path, texts.collect::<String>()).unwrap();
}

/// Serves with this certificate on a port of its own until the test process ends; where.
pub fn serve(certified: &Certified, take: impl Fn(Secured) + Send + Sync + 'static) -> String {
    listen(certified, WebPkiClientVerifier::no_client_auth(), take)
}

/// The same, but nobody is let in who does not show `client`.
pub fn serve_only(
    certified: &Certified,
    client: &Certified,
    take: impl Fn(Secured) + Send + Sync + 'static,
) -> String {
    let mut known = RootCertStore::empty();
    known.add(client.cert.der().clone()).unwrap();
    let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(known), provider());
    listen(certified, verifier.build().unwrap(), take)
}

fn provider() -> Arc<CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

fn listen(
    certified: &Certified,
    verifier: Arc<dyn ClientCertVerifier>,
    take: impl Fn(Secured) + Send + Sync + 'static,
) -> String {
    let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
    let settings = ServerConfig::builder_with_provider(provider())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_client_cert_verifier(verifier)
        .with_single_cert(vec![certified.cert.der().clone()], key)
        .unwrap();
    let settings = Arc::new(settings);
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let take = Arc::new(take);
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let connection = ServerConnection::new(Arc::clone(&settings)).unwrap();
            let take = Arc::clone(&take);
            std::thread::spawn(move || take(StreamOwned::new(connection, stream)));
        }
    });
    address
}
