/** Kubeconfigs as kubeadm writes them to /etc/kubernetes/admin.conf. */
import { simulatedCertificate } from '#runner/sim/simulated-certificate.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const authority = simulatedCertificate('kubernetes');
const { certificate, key } = simulatedCertificate('kubernetes-admin');

/** All of them have these. As in a cluster, the authority has a key of its own. */
export const adminAuthority = encoded(authority.certificate);
export const adminCertificate = encoded(certificate);
export const adminKey = encoded(key);

export function kubeconfigTo(server = 'https://shop.example.com:6443'): string {
  return `apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: ${adminAuthority}
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
    client-certificate-data: ${adminCertificate}
    client-key-data: ${adminKey}
`;
}
