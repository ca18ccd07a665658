/** Where things lie on a node; `kubeadm reset` removes all of it. */

export const directories = {
  kubernetes: '/etc/kubernetes',
  /** This code, copied by the stand-in for KubeOne. */
  code: '/usr/local/lib/kubeloom-simulated',
} as const;

const { kubernetes } = directories;

export const files = {
  ca: `${kubernetes}/pki/ca.crt`,
  caKey: `${kubernetes}/pki/ca.key`,
  serverKey: `${kubernetes}/pki/apiserver.key`,
  serverCertificate: `${kubernetes}/pki/apiserver.crt`,
  adminKey: `${kubernetes}/simulated/admin.key`,
  adminCertificate: `${kubernetes}/simulated/admin.crt`,
  adminKubeconfig: `${kubernetes}/admin.conf`,
  token: `${kubernetes}/simulated/token`,
  /** Control-plane nodes as last heard of. */
  controls: `${kubernetes}/simulated/controls.json`,
  serverConfig: `${kubernetes}/simulated/api-server.json`,
  kubeletConfig: `${kubernetes}/simulated/kubelet.json`,
  /** What kubeadm leaves on a node that has joined; only whether it exists counts. */
  kubeletKubeconfig: `${kubernetes}/kubelet.conf`,
  state: `${kubernetes}/simulated/state.json`,
} as const;
