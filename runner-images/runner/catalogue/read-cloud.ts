/** What a cloud sells, in the closed form of a list that an installation keeps. */
import type { CatalogueQuestion } from '#contracts/catalogue-question.ts';
import { KeptCatalogue, type RefreshedType } from '#domain/catalogue/kept-catalogue.ts';
import type { SecretStore } from '#functions/ports.ts';
import { revokeVaultTokens, userSecret } from '../credentials.ts';
import { orNotKnown } from '../listing/list-cluster.ts';
import type { Bases } from '../provider-check/finding.ts';
import { SecretMask } from '../secret-mask.ts';
import { StageFailure } from '../stage-failure.ts';
import type { CloudInput, CloudReader } from './cloud-reader.ts';

/** By type; only that of the type is loaded. */
const readers: Readonly<Record<RefreshedType, () => Promise<CloudReader>>> = {
  hetzner: () => import('./clouds/hetzner.ts').then(({ hetznerOffer }) => hetznerOffer),
  digitalocean: () => import('./clouds/digitalocean.ts').then(({ digitalOceanOffer }) => digitalOceanOffer),
};

interface CloudSurroundings {
  readonly secrets: Pick<SecretStore, 'get'>;
  readonly today: string;
  readonly bases?: Bases;
}

/** With the credentials of a provider instance. Throws `StageFailure`. */
export async function readCloudFor({ type, secret }: CatalogueQuestion, around: CloudSurroundings) {
  const mask = new SecretMask();
  try {
    const fields = await userSecret({ ports: { secrets: around.secrets }, mask }, secret, `the list of ${type}`);
    return await readCloud(type, { ...around, fields });
  } finally {
    await revokeVaultTokens(mask);
  }
}

/** Throws `StageFailure` for a cloud that refuses, and for an answer that is no list of it. */
export async function readCloud(type: RefreshedType, { bases = {}, ...input }: CloudInput): Promise<KeptCatalogue> {
  const offer = await readers[type]();
  const found = await orNotKnown(() => offer({ ...input, bases }));
  if ('failed' in found) throw unread(type, found.failed);
  const closed = KeptCatalogue.safeParse(found);
  if (!closed.success) throw unread(type, 'the answer has another form');
  return closed.data;
}

function unread(type: RefreshedType, why: string): StageFailure {
  return new StageFailure({
    class: 'credentials',
    code: 'CatalogueUnread',
    message: `What ${type} sells cannot be read: ${why}.`,
    hint: 'The list that is known stays in use; check the credentials of the provider.',
  });
}
