/** The parts of docs/manifest.md that are not in the schema: how the parts belong together, and the rules between fields. */

import { acceptableWarnings } from '#domain/manifest/faults/fault.ts';

export const introduction = `# The manifest

<!-- made by scripts/generate-manifest-docs.ts: change the schema's descriptions or scripts/manifest-docs/, not this file -->

A manifest describes the clusters that you want: **providers** (credentials of clouds), **node pools** (blueprints of
machines), **Kubernetes clusters** and **load balancers** that name pools. It is Claudie's \`InputManifest\`
(\`claudie.io/v1beta1\`, older dialects too) or ours (\`kubeloom.dev/v1\`, the same fields; those that only Kubeloom has
say "Kubeloom:"). \`kubeloom validate -f FILE\` reports every fault at once, with its place, the reason and the fix;
unknown keys are faults, with the key that you probably meant. Editors complete manifests with
\`schema/input-manifest.schema.json\` (\`kubeloom schema\`); it knows every kind of document. The first line of a file can say so:

\`\`\`yaml
# yaml-language-server: $schema=../schema/input-manifest.schema.json
\`\`\`

Names of nodes begin with the name of their pool, in lower case and with \`-\` for \`_\`: \`Web_GPU\` and \`web-gpu\` cannot be two pools.
They end in a hexadecimal number of two digits: the tenth node of a pool is \`…-0a\`, the sixteenth \`…-10\`.

One file may hold several documents, also as the items of a \`kind: List\`: Secrets and TemplateGitReferences are stored before the manifests that name them.
Complete examples: [examples/](../examples/).`;

export const rules = `## Rules between fields

Faults (nothing is started):

- **Names.** Names of providers, pools, roles, clusters and load balancers are unique among their kind; clusters and
  load balancers share theirs. A name that is referred to must exist, and is listed once. Every pool is used by a cluster
  or a load balancer.
- **Pools.** Either \`count\` (1 or more) or \`autoscaler\` (\`min\` ≤ \`max\`): the pool starts with \`min\`, and the [autoscaler](autoscaling.md) or
  \`kubeloom scale\` sets its size between the two. Bounds change, and \`count\` and \`autoscaler\` replace each other, without touching machines that fit. \`cpuCount\` and \`memory\` go together.
  A dynamic pool may serve several clusters (each gets its own machines), a static pool only one. A machine may be listed only
  once in all manifests. Spot, GPUs, GPU types, external networks: only if the provider has them, in the form that the
  provider needs. Control nodes are never spot.
- **Providers.** \`secretRef\` names a stored Secret (or one of the same files), or a secret of a Vault (\`vault\`,
  docs/secrets.md). Its fields (table below)
  are validated offline if it is in the same files, and by the API if a stored manifest names it.
- **Networks.** IPv4, with room for every node that the cluster and its load balancers may have; apart from addresses of
  static nodes and from networks that Kubernetes and connected clusters use. With pools in clouds, not in 10.0.0.0/24, where clouds have services.
  Subnets of those pools are in the parts of 10.0.0.0/16 outside the network.
- **Roles.** \`targetPools\` or the older \`target\`, not both; they name pools of the target cluster. \`targetPort\` 6443
  is the Kubernetes API: then \`port\` is 6443 too, tcp, control pools only, no PROXY protocol, no sticky sessions. Ports
  are unique on a load balancer, tcp and udp apart; from 64512 on they are its own.
- **Load balancers.** At most one serves the API of a cluster, and it has pools and no alternative names. A host name
  or alternative name, with its zone, belongs to one manifest of the installation, also of machine groups; capitals and a dot at its end
  do not count. One manifest has at most 90. A name is free for others once its manifest is deleted, or once a run without it is done.
  Wildcards (\`*\`, \`*.apps\`) may be among the alternative names. The DNS provider must serve zones.
- **Storage and documents.** \`longhorn\` needs a compute pool. A document has a text, or comes with Kubeloom; its objects have
  apiVersion, kind and name, are in one document of the cluster only, and are no Secrets.
- **Changes.** Properties that machines are created with cannot change in place (\`providerSpec\`, \`serverType\`, \`image\`,
  \`storageDiskSize\`, \`machineSpec\`, \`spot\`; the type of a provider; the network of a cluster): add a pool, a
  provider or a cluster with another name and remove the old one. Or let Kubeloom replace the machines of a pool: name it
  in the annotation \`kubeloom.dev/replace: POOL,POOL\` of the manifest. Its new machines are added, one pool at a time,
  before the old ones are drained and deleted; the plan shows it. Kubernetes never goes back to an older version.
- **Protection.** Kubeloom neither removes nor replaces anything with \`protect: true\`, and does not delete a manifest with
  \`deletionProtection\`, until you have applied a change that removes the protection.

Kubeloom creates the storage disks of compute nodes (\`storageDiskSize\`) and, with \`storage: longhorn\`, the classes that serve volume claims
from them: [storage.md](storage.md).

Warnings (allowed but risky; Kubeloom applies them): one control node or an even number of them; no compute pool; a
load balancer of the API with a single node, or in another region than the control nodes; a load balancer without pools; a host name that repeats its zone; a role
that no load balancer has; a disk size on pools of load balancers only; Longhorn without a node that it runs on; labels that Kubeloom sets itself; a network that
is not private; a manifest without clusters; a region, a server type or an image that the cloud did not have when its
[list](catalogue.md) was read, an image without updates, or one for other processors. Each warning has an id, shown after its place. An annotation of the document accepts
a warning, which is then not reported any more: \`kubeloom.dev/accept: single-control-node, no-compute-pool\`. Ids: ${acceptableWarnings
  .map((id) => `\`${id}\``)
  .join(' ')}. That a new name destroys a cluster cannot be accepted.`;

export const secretIntroduction = `## Secret

Credentials of providers, SSH keys of static nodes (\`privatekey\`) and tokens of template repositories. Values are stored
encrypted, only the tools' containers read them, and you can replace but never read them. \`kubeloom apply\` stores
it; changing one starts no run: the next one uses it.`;

export const templateIntroduction = `## TemplateGitReference

Terraform modules of your own instead of those that come with Kubeloom.`;
