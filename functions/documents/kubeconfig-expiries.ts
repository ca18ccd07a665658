/** When the certificates end that a kubeconfig of ours holds. */
import type { Expiry } from '#domain/expiry.ts';
import type { KubeconfigParts } from '#domain/observed/kubeconfig.ts';
import { certificateTimes } from './pem.ts';

/** Its client certificate, and the authority of the cluster: of several, as while one replaces another, the one that ends last. */
export function kubeconfigExpiries({
  certificate,
  authority,
}: Pick<KubeconfigParts, 'certificate' | 'authority'>): readonly Expiry[] {
  const [client] = certificateTimes(certificate) ?? [];
  const authorities = certificateTimes(authority) ?? [];
  const last = authorities.toSorted((a, b) => Date.parse(b.until) - Date.parse(a.until))[0];
  return [
    ...(client === undefined ? [] : [{ what: 'kubeconfig' as const, ...client }]),
    ...(last === undefined ? [] : [{ what: '/etc/kubernetes/pki/ca.crt' as const, ...last }]),
  ];
}
