/** Certificates with ends of one's choice, as machines have them, and kubeconfigs with them. */
import { simulatedCertificate } from '#runner/sim/simulated-certificate.ts';
import { adminAuthority } from './kubeconfigs.ts';

export const encoded = (text: string): string => Buffer.from(text).toString('base64');

/** Times: ISO 8601. PEM. */
export const certificateUntil = (until: string, from = '2026-01-01T00:00:00Z'): string =>
  simulatedCertificate('kubernetes', { from, until }).certificate;

/** As kubeadm writes admin.conf; `authority`: PEM in base64. */
export function adminConfUntil(
  until: string,
  { server = 'https://shop.example.com:6443', authority = adminAuthority, from = '2026-01-01T00:00:00Z' } = {},
): string {
  const { certificate, key } = simulatedCertificate('kubernetes-admin', { from, until });
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${authority}
    server: ${server}
  name: kubernetes
contexts:
- context:
    cluster: kubernetes
    user: kubernetes-admin
  name: kubernetes-admin@kubernetes
current-context: kubernetes-admin@kubernetes
kind: Config
users:
- name: kubernetes-admin
  user:
    client-certificate-data: ${encoded(certificate)}
    client-key-data: ${encoded(key)}
`;
}
