/**
 * Approves requests of kubelets for serving certificates: only of nodes that Kubeloom created, for their own name and addresses.
 * With such a certificate a program can act as that node towards the API server, so people decide about all other requests.
 */
import { readCertificateRequest } from './certificate-request.ts';

/** A CertificateSigningRequest of the cluster. */
export interface SigningRequest {
  readonly name: string;
  readonly signer: string;
  /** The requester, as authenticated by the API server. */
  readonly username: string;
  readonly groups: readonly string[];
  readonly usages: readonly string[];
  /** PEM */
  readonly request: string;
  /** Types of its conditions; empty while it is undecided. */
  readonly conditions: readonly string[];
}

/** A node of the cluster, and every address that Kubeloom knows it by. */
export interface KnownNode {
  readonly name: string;
  readonly addresses: readonly string[];
}

export const servingSigner = 'kubernetes.io/kubelet-serving';

export type Approval =
  | { readonly approve: true; readonly node: string }
  /** `because`: a sentence part for people. */
  | { readonly approve: false; readonly because: string };

const refused = (because: string): Approval => ({ approve: false, because });
const nodePrefix = 'system:node:';
const nodesGroup = 'system:nodes';
/** Every serving certificate has the last two usages. */
const allowedUsages: readonly string[] = ['key encipherment', 'digital signature', 'server auth'];

/** Refuses everything that is not exactly the request of a kubelet of a known node. */
export function mayApprove(csr: SigningRequest, nodes: readonly KnownNode[]): Approval {
  if (csr.signer !== servingSigner) return refused(`it is for the signer ${csr.signer}`);
  if (csr.conditions.length > 0) return refused('it is decided already');
  if (!csr.username.startsWith(nodePrefix)) return refused(`${csr.username} is no node`);
  if (!csr.groups.includes(nodesGroup)) return refused(`${csr.username} is not in the group ${nodesGroup}`);
  const node = nodes.find(({ name }) => csr.username === `${nodePrefix}${name}`);
  if (node === undefined) return refused(`${csr.username} is not a node of this cluster`);
  const usage = csr.usages.find((one) => !allowedUsages.includes(one));
  if (usage !== undefined) return refused(`it is also for ${usage}`);
  if (!csr.usages.includes('server auth') || !csr.usages.includes('digital signature'))
    return refused('it is not for a server');
  return matches(csr, node);
}

function matches({ username, request }: SigningRequest, { name, addresses }: KnownNode): Approval {
  const asked = readCertificateRequest(request);
  if (asked === undefined) return refused('it cannot be read');
  if (asked.commonName !== username) return refused(`its subject is ${asked.commonName || 'empty'}, not ${username}`);
  if (asked.organizations.join() !== nodesGroup) return refused(`its organization is ${asked.organizations.join()}`);
  const [other] = asked.others;
  if (other !== undefined) return refused(`it asks for ${other}`);
  const known = new Set(addresses.map((address) => address.toLowerCase()));
  const stranger = asked.dnsNames.find((dns) => dns !== name) ?? asked.addresses.find((address) => !known.has(address));
  if (stranger !== undefined) return refused(`${stranger} is not a known name or address of ${name}`);
  if (asked.dnsNames.length + asked.addresses.length === 0) return refused('it names neither a host nor an address');
  return { approve: true, node: name };
}
