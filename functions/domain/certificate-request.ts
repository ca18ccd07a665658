/**
 * Requests for client certificates (PKCS #10, DER in PEM): as the command line makes them, and whom one is about. The private key
 * stays with who asks.
 */

export interface CertificateSubject {
  readonly user: string;
  readonly group: string;
}

/** Of an attribute of a name. */
const user = '2.5.4.3';
const group = '2.5.4.10';
const ecdsaWithSha256 = '1.2.840.10045.4.3.2';
const tags = {
  integer: 0x02,
  bits: 0x03,
  oid: 0x06,
  utf8: 0x0c,
  printable: 0x13,
  ia5: 0x16,
  sequence: 0x30,
  set: 0x31,
};
const noAttributes = Uint8Array.of(0xa0, 0);

/** What the requester signs (ECDSA with SHA-256, DER). `publicKey`: SubjectPublicKeyInfo, DER. */
export function unsignedRequest({ user: name, group: of }: CertificateSubject, publicKey: Uint8Array): Uint8Array {
  const attribute = (type: string, text: string) =>
    element(tags.set, element(tags.sequence, oid(type), element(tags.utf8, new TextEncoder().encode(text))));
  const subject = element(tags.sequence, attribute(group, of), attribute(user, name));
  return element(tags.sequence, element(tags.integer, Uint8Array.of(0)), subject, publicKey, noAttributes);
}

/** The request with its signature, as PEM. */
export function signedRequest(unsigned: Uint8Array, signature: Uint8Array): string {
  const algorithm = element(tags.sequence, oid(ecdsaWithSha256));
  const bytes = element(tags.sequence, unsigned, algorithm, element(tags.bits, Uint8Array.of(0), signature));
  const base64 = btoa(String.fromCharCode(...bytes)).replaceAll(/.{64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${base64.trimEnd()}\n-----END CERTIFICATE REQUEST-----\n`;
}

/** Whether the request is about exactly this user and group, and nothing else. False when it cannot be read. */
export function isAbout(pem: string, { user: name, group: of }: CertificateSubject): boolean {
  const found = subjectOf(pem).sort();
  return JSON.stringify(found) === JSON.stringify([`${group}=${of}`, `${user}=${name}`].sort());
}

/** `2.5.4.3=ann`, one for each attribute; empty when the request cannot be read. */
function subjectOf(pem: string): string[] {
  const [, base64] =
    /^\s*-----BEGIN CERTIFICATE REQUEST-----([\sA-Za-z0-9+/=]+)-----END CERTIFICATE REQUEST-----\s*$/.exec(pem) ?? [];
  if (base64 === undefined) return [];
  try {
    const bytes = Uint8Array.from(atob(base64.replaceAll(/\s/g, '')), (character) => character.charCodeAt(0));
    const [request] = elements(bytes);
    const [unsigned] = elements(request?.content);
    const [, subject] = elements(unsigned?.content);
    return elements(subject?.content)
      .flatMap(({ content }) => elements(content))
      .map(({ content }) => {
        const [type, value] = elements(content);
        return `${oidText(type?.content)}=${textOf(value)}`;
      });
  } catch {
    return [];
  }
}

interface Element {
  readonly tag: number;
  readonly content: Uint8Array;
}

/** The elements that bytes are made of. Throws when they are not. */
function elements(bytes: Uint8Array = new Uint8Array()): readonly Element[] {
  const found: Element[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [tag = 0, first = 0] = bytes.subarray(at, at + 2);
    const digits = first < 0x80 ? 0 : first - 0x80;
    const begin = at + 2 + digits;
    const length = digits === 0 ? first : bytes.subarray(at + 2, begin).reduce((sum, byte) => sum * 256 + byte, 0);
    at = begin + length;
    if (digits > 3 || first === 0x80 || at > bytes.length) throw new Error('the request is cut off');
    found.push({ tag, content: bytes.subarray(begin, at) });
  }
  return found;
}

function textOf(value: Element | undefined): string {
  const known: readonly number[] = [tags.utf8, tags.printable, tags.ia5];
  if (value === undefined || !known.includes(value.tag)) throw new Error('a name in an unknown encoding');
  return new TextDecoder('utf-8', { fatal: true }).decode(value.content);
}

function element(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Uint8Array.from(parts.flatMap((part) => [...part]));
  const digits = [content.length >> 16, content.length >> 8, content.length].map((digit) => digit & 0xff);
  const needed = digits.slice(digits.findIndex((digit) => digit > 0));
  const length = content.length < 0x80 ? [content.length] : [0x80 + needed.length, ...needed];
  return Uint8Array.from([tag, ...length, ...content]);
}

/** Base 128, the first two numbers in one. */
function oid(text: string): Uint8Array {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number);
  const bytes = [first * 40 + second, ...others].flatMap((number) => {
    const digits = [number & 0x7f];
    for (let rest = number >> 7; rest > 0; rest >>= 7) digits.unshift(0x80 | (rest & 0x7f));
    return digits;
  });
  return element(tags.oid, Uint8Array.from(bytes));
}

/** Of the attributes that a subject may have; all others count as other. */
function oidText(content: Uint8Array | undefined): string {
  const hex = (bytes: Uint8Array) => [...bytes].join(' ');
  const known = [user, group].find((type) => hex(oid(type).subarray(2)) === hex(content ?? new Uint8Array()));
  return known ?? 'other';
}
