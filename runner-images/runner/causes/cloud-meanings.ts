/** What the answers of clouds can mean for people: one sentence a meaning, for all clouds. */
import type { Meaning } from './cause-row.ts';

export const cloudMeanings = {
  login: {
    class: 'credentials',
    hint: 'The provider does not accept the login: check the Secret of this provider, it may be wrong or expired. Apply the Secret again.',
  },
  permission: {
    class: 'credentials',
    hint: 'The login lacks a permission for this, or the account may not do it: grant it at the provider, then `kubeloom retry`; or apply a Secret that has it. The page of the provider in docs/providers lists what is needed.',
  },
  account: {
    class: 'user',
    hint: 'The account is not set up for this: the message says what the provider wants (register or enable a service, pay, verify, ask its support). Do it there, then `kubeloom retry`. The Secret and the manifest are not the cause.',
  },
  terms: {
    class: 'user',
    hint: 'The image is one of a marketplace, whose terms have to be accepted in the account first, or which needs a plan: accept them at the provider, or choose another image; then `kubeloom retry`.',
  },
  policy: {
    class: 'user',
    hint: 'A policy or a protection in the account does not allow it: the message names it. Remove it there, or change the manifest; then `kubeloom retry`.',
  },
  quota: {
    class: 'quota',
    hint: 'Request a higher limit from the provider, or use smaller or fewer machines, then apply again.',
  },
  verification: {
    class: 'quota',
    hint: 'The provider still verifies this account or region, which can take hours. Nothing is wrong with the manifest: Kubeloom tries again later, or `kubeloom retry` once it is done.',
  },
  capacity: {
    class: 'capacity',
    hint: 'The provider has no such machine available here. Choose another server type, zone or region, or retry later.',
  },
  failedMachine: {
    class: 'capacity',
    hint: 'The cloud accepted the machine and then could not start it; the reason is in the cloud only: `openstack server show ID` has it as `fault`, most often no host with room. Choose another flavor or zone, or retry later.',
  },
  rate: {
    class: 'transient',
    hint: 'The provider is rate-limiting requests.',
  },
  outage: {
    class: 'transient',
    hint: 'The provider, or the network to it, failed or was slow.',
  },
  busy: {
    class: 'conflict',
    hint: 'The provider is still working on this resource, or something still uses it. If it stays, the message names what uses it.',
  },
  taken: {
    class: 'conflict',
    hint: 'The account already has a resource of that name that Kubeloom did not create. Remove or rename it, then apply again.',
  },
  input: {
    class: 'user',
    hint: 'Check server type, image, region and zone of the node pool against what the provider offers.',
  },
  tooSmall: {
    class: 'user',
    hint: 'This server type cannot have what the pool asks for, such as a disk: choose a larger server type, or leave that out.',
  },
  ambiguous: {
    class: 'user',
    hint: 'A name of the manifest fits none or several things at the provider: use the exact name or the id of the image, network or flavor.',
  },
  clock: {
    class: 'platform',
    hint: 'The clock of the machine that runs Terraform differs from that of the provider: correct it (`timedatectl`), nothing else is wrong.',
  },
} as const satisfies Readonly<Record<string, Meaning>>;
