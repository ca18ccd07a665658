/** Certificates and private keys in base64 PEM: each is parsed, and written out again from what was understood. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { Expiry } from '#domain/expiry.ts';

/** A bundle of authorities while one of them is replaced, or a chain. */
const mostCertificates = 10;
/** An RSA key of 8,192 bits is 6.5 KB. */
const longestKey = 10_000;

/** One certificate or several; undefined when there is anything else, or one that cannot be read. */
export function canonicalCertificates(encoded: string): string | undefined {
  const blocks = pemBlocks(encoded, /^CERTIFICATE$/);
  if (blocks === undefined || blocks.length > mostCertificates) return undefined;
  const certificates = blocks.map((block) => attempt(() => new X509Certificate(block)));
  if (certificates.some((certificate) => certificate === undefined)) return undefined;
  return encodedText(certificates.map(String).join(''));
}

/** The private key of the first of these certificates; undefined when it belongs to none of them, or cannot be read. */
export function canonicalKey(encoded: string, certificates: string): string | undefined {
  const [block, ...more] = pemBlocks(encoded, /^(?:(?:RSA|EC) )?PRIVATE KEY$/) ?? [];
  const [first] = pemBlocks(certificates, /^CERTIFICATE$/) ?? [];
  if (block === undefined || first === undefined || more.length > 0 || block.length > longestKey) return undefined;
  const key = attempt(() => createPrivateKey({ key: block, format: 'pem' }));
  if (key === undefined || !attempt(() => new X509Certificate(first).checkPrivateKey(key))) return undefined;
  return encodedText(keyText(key, block));
}

/** In the form that it came in, which its clients understand. */
function keyText(key: KeyObject, block: string): string {
  const type = block.includes('RSA PRIVATE KEY') ? 'pkcs1' : block.includes('EC PRIVATE KEY') ? 'sec1' : 'pkcs8';
  return key.export({ format: 'pem', type }).toString();
}

/** The blocks of a PEM text that has nothing but blocks with such labels; undefined for any other text. */
function pemBlocks(encoded: string, label: RegExp): readonly string[] | undefined {
  const lines = Buffer.from(encoded, 'base64').toString('latin1').replaceAll('\r\n', '\n').split('\n');
  const blocks: string[] = [];
  let open: { readonly label: string; readonly lines: string[] } | undefined;
  for (const line of lines) {
    const [, begins] = /^-----BEGIN ([A-Z ]{1,30})-----$/.exec(line) ?? [];
    if (open === undefined) {
      if (line === '') continue;
      if (begins === undefined || !label.test(begins)) return undefined;
      open = { label: begins, lines: [line] };
    } else {
      open.lines.push(line);
      if (line === `-----END ${open.label}-----`) {
        blocks.push(`${open.lines.join('\n')}\n`);
        open = undefined;
      } else if (!/^[A-Za-z0-9+/]{1,76}={0,2}$/.test(line)) return undefined;
    }
  }
  return open === undefined && blocks.length > 0 ? blocks : undefined;
}

function attempt<Value>(make: () => Value): Value | undefined {
  try {
    return make();
  } catch {
    return undefined;
  }
}

/** ISO 8601: the time in which a certificate is good. */
export type CertificateTime = Pick<Expiry, 'from' | 'until'>;

/** The times of these certificates, in their order; undefined when one of them cannot be read. */
export function certificateTimes(encoded: string): readonly CertificateTime[] | undefined {
  const blocks = pemBlocks(encoded, /^CERTIFICATE$/);
  if (blocks === undefined || blocks.length > mostCertificates) return undefined;
  const times = blocks.map((block) =>
    attempt(() => {
      const { validFromDate, validToDate } = new X509Certificate(block);
      return { from: validFromDate.toISOString(), until: validToDate.toISOString() };
    }),
  );
  return times.every((time) => time !== undefined) ? times : undefined;
}

const encodedText = (text: string): string => Buffer.from(text).toString('base64');
