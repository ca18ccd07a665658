/** Kubeconfigs as kubeadm writes them to /etc/kubernetes/admin.conf. */
import { simulatedCertificate } from '#runner/sim/simulated-certificate.ts';

export const encoded = (text: string): string => Buffer.from(text).toString('base64');
const ca = simulatedCertificate('kubernetes');
const admin = simulatedCertificate('kubernetes-admin');

/** All of them have these. As in a cluster, the authority has a key of its own. */
export const adminAuthority = encoded(ca.certificate);
export const adminCertificate = encoded(admin.certificate);
export const adminKey = encoded(admin.key);

export const kubeconfigTo = (server?: string): string => adminConf(server === undefined ? {} : { server });

/** All but the server in base64 of PEM. */
export function adminConf({
  server = 'https://shop.example.com:6443',
  authority = adminAuthority,
  certificate = adminCertificate,
  key = adminKey,
}): string {
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
preferences: {}
users:
- name: kubernetes-admin
  user:
    client-certificate-data: ${certificate}
    client-key-data: ${key}
`;
}
