/** Facts that a simulated tool "finds": plausible, and always the same for the same names. */
import { createHash } from 'node:crypto';
import { kubeconfigText } from '#documents/kubeconfig.ts';
import { simulatedCertificate } from './simulated-certificate.ts';

/** An address of 198.18.0.0/15, which is reserved for tests. */
export function simulatedAddress(name: string): string {
  const [a = 0, b = 0, c = 0] = digest(name);
  return `198.${18 + (a % 2)}.${b}.${1 + (c % 254)}`;
}

export function simulatedPublicKey(name: string): string {
  return digest(`wireguard ${name}`).toString('base64');
}

export function simulatedBootId(name: string): string {
  const hex = digest(`boot ${name}`).toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** A kubeconfig like a real one. Nothing answers at its address, and its certificate is good for nothing. */
export function simulatedKubeconfig(cluster: string, endpoint: string): string {
  const { certificate, key } = simulatedCertificate('simulated');
  const encoded = (text: string): string => Buffer.from(text).toString('base64');
  const authority = encoded(certificate);
  const server = `https://${endpoint}:6443`;
  return kubeconfigText(cluster, { server, authority, certificate: authority, key: encoded(key) });
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
