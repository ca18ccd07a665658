/**
 * A kubeconfig as Kubeloom takes one from others: one cluster, one user with a client certificate, one context. Everything else that such
 * a file can hold runs programs, reads files, or leads clients elsewhere, so it is not in the schema, and a file that has it is refused.
 */
import { z } from 'zod';
import { closedText } from './closed-texts.ts';

/** Longest file: a bundle of certificate authorities is some ten KB. */
export const kubeconfigLimit = 100_000;

/** https, a host name or an address, a port; no user, path or query. */
const Server = closedText(300, /^https:\/\/[A-Za-z0-9.:[\]-]+$/);
/** PEM in base64, one line. */
const Encoded = closedText(kubeconfigLimit, /^[A-Za-z0-9+/]+={0,2}$/);
/** Names only join the parts of the file; none of them is kept. */
const Name = closedText(253, /^[\x21-\x7e]+$/);

const one = <Entry extends z.ZodType>(entry: Entry) => z.array(entry).length(1);

export const ForeignKubeconfig = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Config'),
  /** kubeadm writes it, always empty. */
  preferences: z.strictObject({}).optional(),
  clusters: one(
    z.strictObject({ name: Name, cluster: z.strictObject({ server: Server, 'certificate-authority-data': Encoded }) }),
  ),
  users: one(
    z.strictObject({
      name: Name,
      user: z.strictObject({ 'client-certificate-data': Encoded, 'client-key-data': Encoded }),
    }),
  ),
  contexts: one(z.strictObject({ name: Name, context: z.strictObject({ cluster: Name, user: Name }) })),
  'current-context': Name,
});

/** What is taken from it, and all that a kubeconfig of ours is made of. */
export const KubeconfigParts = z.strictObject({
  /** `https://203.0.113.7:6443`: host in lower case, always with its port. */
  server: Server,
  /** Certificates, PEM in base64. */
  authority: Encoded,
  /** The certificate, then those that lead to its authority, PEM in base64. */
  certificate: Encoded,
  /** PEM in base64. */
  key: Encoded,
});
export type KubeconfigParts = z.infer<typeof KubeconfigParts>;
