// Both signatures of a delivery, checked with nothing but what Node.js brings along. Written from the public Standard
// Webhooks specification and from what the service's documentation says, not from the service's code.

import { createHmac, timingSafeEqual } from "node:crypto";

export type Headers = Record<string, string | undefined>;

export const TOLERANCE_SECONDS = 300;

/** Standard Webhooks: why a request is refused, or undefined. Header names are in small letters. */
export function standard(secret: string, headers: Headers, body: Buffer, now: number): string | undefined {
  const id = headers["webhook-id"] ?? "";
  const sentAt = headers["webhook-timestamp"] ?? "";
  if (id === "" || id.includes(".")) return "no usable webhook-id";
  if (!/^[0-9]{1,15}$/.test(sentAt)) return "no usable webhook-timestamp";
  if (Math.abs(now - Number(sentAt)) > TOLERANCE_SECONDS) return "stale";
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1];
  if (encoded === undefined) return "the secret is none";
  const mac = createHmac("sha256", Buffer.from(encoded, "base64"));
  const expected = mac.update(`${id}.${sentAt}.`).update(body).digest();
  for (const given of (headers["webhook-signature"] ?? "").split(" ")) {
    const [version, text] = given.split(",", 2);
    if (version === "v1" && text !== undefined && same(Buffer.from(text, "base64"), expected)) return undefined;
  }
  return "no signature fits";
}

/** X-T49-Webhook-Signature: why a request is refused, or undefined. */
export function reference(secret: string, headers: Headers, body: Buffer): string | undefined {
  const expected = Buffer.from(createHmac("sha256", secret).update(body).digest("hex"));
  const previous = (headers["x-t49-webhook-signature-previous"] ?? "").split(" ");
  const given = [headers["x-t49-webhook-signature"] ?? "", ...previous];
  return given.some((one) => same(Buffer.from(one), expected)) ? undefined : "no signature fits";
}

function same(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b);
}
