/** A key with a certificate that signs itself: what a kubeconfig of a simulated cluster has in place of real ones. */
import { generateKeyPairSync, sign } from 'node:crypto';
import { derTags, nameParts, writeDer, writeObjectId } from '#domain/certificates/der.ts';

const ecdsaWithSha256 = '1.2.840.10045.4.3.2';
const [version3, generalizedTime] = [0xa0, 0x18];
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
/** Of ISO 8601 in UTC, without its fraction. */
const timeOf = (iso: string): Uint8Array =>
  writeDer(generalizedTime, bytesOf(`${iso.slice(0, 19).replaceAll(/[-:T]/g, '')}Z`));

/** Both are PEM. @default good from 2025 to 2124 */
export function simulatedCertificate(
  commonName: string,
  { from, until } = { from: '2025-01-01T00:00:00Z', until: '2124-01-01T00:00:00Z' },
): { readonly certificate: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const { sequence, set, integer, utf8, bits } = derTags;
  const pair = writeDer(sequence, writeObjectId(nameParts.commonName), writeDer(utf8, bytesOf(commonName)));
  const name = writeDer(sequence, writeDer(set, pair));
  const algorithm = writeDer(sequence, writeObjectId(ecdsaWithSha256));
  const unsigned = writeDer(
    sequence,
    writeDer(version3, writeDer(integer, Uint8Array.of(2))),
    writeDer(integer, Uint8Array.of(1)),
    ...[algorithm, name, writeDer(sequence, timeOf(from), timeOf(until)), name],
    publicKey.export({ format: 'der', type: 'spki' }),
  );
  const signature = writeDer(bits, Uint8Array.of(0), sign('sha256', unsigned, privateKey));
  const base64 = Buffer.from(writeDer(sequence, unsigned, algorithm, signature)).toString('base64');
  const lines = base64.match(/.{1,64}/g)?.join('\n') ?? '';
  return {
    certificate: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}
