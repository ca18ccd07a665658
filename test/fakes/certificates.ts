/** Certificates with ends of one's choice, as machines have them, and kubeconfigs with them. */
import { simulatedCertificate } from '#runner/sim/simulated-certificate.ts';
import { adminConf, encoded } from './kubeconfigs.ts';

/** Times: ISO 8601. PEM. */
export const certificateUntil = (until: string, from = '2026-01-01T00:00:00Z'): string =>
  simulatedCertificate('kubernetes', { from, until }).certificate;

/** As kubeadm writes admin.conf; `authority`: PEM in base64. */
export function adminConfUntil(
  until: string,
  {
    from = '2026-01-01T00:00:00Z',
    ...parts
  }: { readonly from?: string; readonly server?: string; readonly authority?: string } = {},
): string {
  const { certificate, key } = simulatedCertificate('kubernetes-admin', { from, until });
  return adminConf({ ...parts, certificate: encoded(certificate), key: encoded(key) });
}
