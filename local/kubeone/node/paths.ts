/** Where things lie on a node; `kubeadm reset` removes all of it. */

const kubernetes = '/etc/kubernetes';

export const files = {
  ca: `${kubernetes}/pki/ca.crt`,
  serverKey: `${kubernetes}/pki/apiserver.key`,
  serverCertificate: `${kubernetes}/pki/apiserver.crt`,
  token: `${kubernetes}/simulated/token`,
  /** Control-plane nodes as last heard of. */
  controls: `${kubernetes}/simulated/controls.json`,
  serverConfig: `${kubernetes}/simulated/api-server.json`,
  kubeletConfig: `${kubernetes}/simulated/kubelet.json`,
  state: `${kubernetes}/simulated/state.json`,
} as const;
