/** What of docs/manifest.md is not in the schema: how the parts belong together, and the rules between fields. */

import { acceptableWarnings } from '#domain/manifest/fault.ts';

export const introduction = `# The manifest

<!-- made by scripts/generate-manifest-docs.ts: change the schema's descriptions or scripts/manifest-docs/, not this file -->

A manifest says which clusters you wish for: **providers** (credentials of clouds), **node pools** (blueprints of
machines), **Kubernetes clusters** and **load balancers** that name pools. It is Claudie's \`InputManifest\`
(\`claudie.io/v1beta1\`, older dialects too) or ours (\`kubeloom.dev/v1\`, the same fields; those that only Kubeloom has
say "Kubeloom:"). \`kubeloom validate -f FILE\` tells every fault at once, with its place, the reason and the way out;
unknown keys are faults, with the key that was probably meant. Editors complete manifests with
\`schema/input-manifest.schema.json\` (\`kubeloom schema\`); it knows all four kinds of documents. The first line of a file can say so:

\`\`\`yaml
# yaml-language-server: $schema=../schema/input-manifest.schema.json
\`\`\`

Names of nodes begin with the name of their pool, in lower case and with \`-\` for \`_\`: \`Web_GPU\` and \`web-gpu\` cannot be two pools.
They end in a hexadecimal number of two digits: the tenth node of a pool is \`…-0a\`, the sixteenth \`…-10\`.

One file may hold several documents, also as the items of a \`kind: List\`: Secrets and TemplateGitReferences are stored before the manifests that name them.
Complete examples: [examples/](../examples/).`;

export const rules = `## Rules between fields

What is a fault (nothing is started):

- **Names.** Names of providers, pools, roles, clusters and load balancers are unique among their kind; clusters and
  load balancers share theirs. A name that is referred to must exist, and is listed once. Every pool is used by a cluster
  or a load balancer.
- **Pools.** Either \`count\` (1 or more) or \`autoscaler\` (\`min\` ≤ \`max\`); nothing scales a pool yet: it keeps \`min\`. \`cpuCount\` and \`memory\` go together.
  A dynamic pool may serve several clusters (each gets machines of its own), a static one only one. A machine is listed
  once, in all manifests. Spot, GPUs, GPU types, external networks: only where the provider has them, and there as the
  provider needs them. Control nodes are never spot.
- **Providers.** \`secretRef\` names a stored Secret (or one of the same files), or a secret of a Vault (\`vault\`,
  docs/secrets.md). Its fields, which the table below lists,
  are checked offline when it is in the same files, and when it is stored for a manifest that names it.
- **Networks.** IPv4, with room for every node that the cluster and its load balancers may have; apart from addresses of
  static nodes and from networks that Kubernetes and meeting clusters use. With pools in clouds, not in 10.0.0.0/24, where clouds have services.
  Subnets of those pools are the parts of 10.0.0.0/16 beside the network.
- **Roles.** \`targetPools\` or the older \`target\`, not both; pools of the cluster that is served. \`targetPort\` 6443
  is the Kubernetes API: then \`port\` is 6443 too, tcp, control pools only, no PROXY protocol, no sticky sessions. Ports
  are unique on a load balancer, tcp and udp apart; from 64512 on they are its own.
- **Load balancers.** One at most serves the API of a cluster, and that one has pools and no alternative names. A host name
  is used once. The DNS provider must serve zones.
- **Changes.** What machines are made of cannot change in place (\`providerSpec\`, \`serverType\`, \`image\`,
  \`storageDiskSize\`, \`machineSpec\`, \`spot\`; the type of a provider; the network of a cluster): add a pool, a
  provider or a cluster with another name and remove the old one. Or let Kubeloom replace the machines of a pool: name it
  in the annotation \`kubeloom.dev/replace: POOL,POOL\` of the manifest. Its new machines are added, one pool at a time,
  before the old ones are drained and deleted; the plan shows it. Kubernetes never goes back to an older version.
- **Protection.** What has \`protect: true\` is neither removed nor replaced, a manifest with \`deletionProtection\` is
  not deleted, until a change that lifts it has been applied.

Kubeloom makes the storage disks of compute nodes (\`storageDiskSize\`) and installs no storage class yet: volume claims stay \`Pending\`
until you install a storage provider such as Longhorn, whose node tags are set already.

What is a warning (legal and unwise; it is done): one control node or an even number of them; no compute pool; a
load balancer of the API with a single node, or in another region than the control nodes; a load balancer without pools; a role
that no load balancer has; a disk size on pools of load balancers only; labels that Kubeloom sets itself; a network that
is not private; a manifest without clusters. Each warning has an id, shown behind its place. An annotation of the document accepts
it, and it is not reported any more: \`kubeloom.dev/accept: single-control-node, no-compute-pool\`. Ids: ${acceptableWarnings
  .map((id) => `\`${id}\``)
  .join(' ')}. That a new name destroys a cluster cannot be accepted.`;

export const secretIntroduction = `## Secret

Credentials of providers, SSH keys of static nodes (\`privatekey\`) and tokens of template repositories. Values are kept
encrypted, are read by the tools' containers alone, and can be replaced but never read back. \`kubeloom apply\` stores
it; changing one starts no run: the next one uses it.`;

export const templateIntroduction = `## TemplateGitReference

Terraform modules of your own instead of those that come with Kubeloom.`;
