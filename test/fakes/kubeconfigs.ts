/** Kubeconfigs as kubeadm writes them to /etc/kubernetes/admin.conf. */
import { simulatedCertificate } from '#runner/sim/simulated-certificate.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const { certificate, key } = simulatedCertificate('kubernetes-admin');

/** All of them have these; the certificate is its own authority. */
export const adminAuthority = encoded(certificate);
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
    client-certificate-data: ${adminAuthority}
    client-key-data: ${adminKey}
`;
}
