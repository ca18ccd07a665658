/** Requests for client certificates of people, as the command line makes them, and whom one is about. The private key stays with who asks. */
import { readCertificateRequest } from './certificate-request.ts';
import { derTags, nameParts, writeDer, writeObjectId } from './der.ts';

export interface CertificateSubject {
  readonly user: string;
  readonly group: string;
}

const ecdsaWithSha256 = '1.2.840.10045.4.3.2';

/** What the requester signs (ECDSA with SHA-256, DER). `publicKey`: SubjectPublicKeyInfo, DER. */
export function unsignedRequest({ user, group }: CertificateSubject, publicKey: Uint8Array): Uint8Array {
  const part = (type: string, text: string) => {
    const pair = writeDer(
      derTags.sequence,
      writeObjectId(type),
      writeDer(derTags.utf8, new TextEncoder().encode(text)),
    );
    return writeDer(derTags.set, pair);
  };
  const subject = writeDer(derTags.sequence, part(nameParts.organization, group), part(nameParts.commonName, user));
  const version = writeDer(derTags.integer, Uint8Array.of(0));
  return writeDer(derTags.sequence, version, subject, publicKey, writeDer(derTags.attributes));
}

/** The request with its signature, as PEM. */
export function signedRequest(unsigned: Uint8Array, signature: Uint8Array): string {
  const algorithm = writeDer(derTags.sequence, writeObjectId(ecdsaWithSha256));
  const bytes = writeDer(derTags.sequence, unsigned, algorithm, writeDer(derTags.bits, Uint8Array.of(0), signature));
  const base64 = btoa(String.fromCharCode(...bytes)).replaceAll(/.{64}/g, '$&\n');
  return `-----BEGIN CERTIFICATE REQUEST-----\n${base64.trimEnd()}\n-----END CERTIFICATE REQUEST-----\n`;
}

/** Whether the request is about exactly this user and group, and nothing else. False when it cannot be read. */
export function isAbout(pem: string, { user, group }: CertificateSubject): boolean {
  const asked = readCertificateRequest(pem.trim());
  if (asked === undefined) return false;
  const { commonName, organizations, dnsNames, addresses, others } = asked;
  const [organization, ...more] = organizations;
  const isOnly = [...more, ...dnsNames, ...addresses, ...others].length === 0;
  return isOnly && commonName === user && organization === group;
}
