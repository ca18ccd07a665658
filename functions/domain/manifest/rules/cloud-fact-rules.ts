/** Warnings about regions, zones, server types and images that a cloud did not have when its list was read; never faults, because lists age. */
import type { Catalogue } from '#domain/catalogue/catalogue.ts';
import { type CloudDefaults, cloudDefaults } from '#domain/catalogue/cloud-defaults.ts';
import { architectureOf, distributionOf, unknownVersion } from '#domain/catalogue/distributions.ts';
import { meantName } from '#domain/catalogue/meant-name.ts';
import { machineLimits } from '#domain/machine-limits.ts';
import { isProviderType, type ProviderTypeName, providerTypes } from '#domain/provider-types.ts';
import { type Fault, warning } from '../faults/fault.ts';
import { shown } from '../schema/names.ts';
import { type ManifestIndex, named, type Path } from './manifest-index.ts';
import type { PartialDynamicPool } from './partial-manifest.ts';

interface KnownCloud {
  readonly type: ProviderTypeName;
  readonly title: string;
  readonly catalogue: Catalogue;
  readonly today: string;
}

/** What the pools of clouds with a catalogue name. */
export function* cloudFactRules(index: ManifestIndex): Iterable<Fault> {
  const { clouds } = index.context;
  if (clouds === undefined) return;
  for (const { kind, thing: pool, path } of index.pools) {
    if (kind !== 'dynamic') continue;
    const type = named(index.providers, pool.providerSpec?.name)?.thing.providerType ?? '';
    const catalogue = clouds.catalogues.get(type);
    if (catalogue === undefined || !isProviderType(type)) continue;
    const cloud = { type, title: providerTypes[type].title, catalogue, today: clouds.today };
    yield* regionRule(cloud, pool, path);
    yield* zoneRule(cloud, pool, path);
    yield* serverTypeRule(cloud, pool, path);
    yield* imageRules(cloud, pool, path);
  }
}

function* regionRule(
  { type, title, catalogue }: KnownCloud,
  { providerSpec }: PartialDynamicPool,
  path: Path,
): Iterable<Fault> {
  const { regions: facts } = catalogue.file;
  const region = providerSpec?.region ?? '';
  const known = catalogue.regionNamed(region);
  if (facts === undefined || region === '' || isWritten(type, region, known)) return;
  yield warning(
    'unknown-region',
    [...path, 'providerSpec', 'region'],
    `${title} had no region ${shown(region)} on ${facts.date}`,
    fixOf(type, known ?? meantName(region, catalogue.regions)),
  );
}

/** A zone of the wrong form is a fault of its own. */
function* zoneRule(
  { type, title, catalogue }: KnownCloud,
  { providerSpec: { region = '', zone = '' } = {} }: PartialDynamicPool,
  path: Path,
): Iterable<Fault> {
  const { zones: facts } = catalogue.file;
  const known = catalogue.zonesOf(region);
  if (facts === undefined || zone === '' || known === undefined || known.includes(zone)) return;
  if (machineLimits[type]?.zone?.accepts(zone, region) === false) return;
  const [first] = known;
  yield warning(
    'unknown-zone',
    [...path, 'providerSpec', 'zone'],
    first === undefined
      ? `the region ${shown(region)} of ${title} had no zones on ${facts.date}`
      : `${title} had no zone ${shown(zone)} in ${shown(region)} on ${facts.date}`,
    first === undefined
      ? 'leave it out, or use another region'
      : `did you mean ${meantName(zone, known) ?? first}? It had ${known.join(', ')}`,
  );
}

function* serverTypeRule(
  { type, title, catalogue }: KnownCloud,
  pool: PartialDynamicPool,
  path: Path,
): Iterable<Fault> {
  const { serverTypes: facts } = catalogue.file;
  const { serverType = '', providerSpec: { region = '' } = {} } = pool;
  if (facts === undefined || serverType === '' || isOwnSize(type, serverType)) return;
  const known = catalogue.typeNamed(serverType);
  const place = [...path, 'serverType'];
  if (!isWritten(type, serverType, known?.name)) {
    const reason = `${title} had no server type ${shown(serverType)} on ${facts.date}`;
    yield warning(
      'unknown-server-type',
      place,
      reason,
      fixOf(type, known?.name ?? meantName(serverType, catalogue.typeNames)),
    );
  } else if (known?.soldIn(region) === false) {
    const reason = `${title} did not sell ${shown(serverType)} in ${shown(region)} on ${facts.date}`;
    yield warning(
      'unknown-server-type',
      place,
      reason,
      `\`kubeloom provider types ${type} --region ${region}\` lists what it sells there`,
    );
  }
}

function* imageRules(
  { type, title, catalogue, today }: KnownCloud,
  pool: PartialDynamicPool,
  path: Path,
): Iterable<Fault> {
  const { image = '', serverType = '' } = pool;
  if (image === '') return;
  const place = [...path, 'image'];
  const usual: CloudDefaults | undefined = cloudDefaults[type];
  if (usual?.imageForm?.accepts.test(image) === false) {
    yield warning('unknown-image', place, `${shown(image)} is no image of ${title}`, `write ${usual.imageForm.form}`);
    return;
  }
  const distribution = distributionOf(image);
  if (distribution !== undefined && distribution.end < today) {
    const reason = `${distribution.name} has had no updates since ${distribution.end}`;
    yield warning('ended-image', place, reason, usual?.image ? `use ${usual.image}` : 'use an image of Ubuntu 24.04');
  } else if (catalogue.file.images && !/^\d+$/.test(image) && !catalogue.file.images.rows.includes(image)) {
    const reason = `${title} had no image ${shown(image)} on ${catalogue.file.images.date}`;
    yield warning('unknown-image', place, reason, fixOf(type, meantName(image, catalogue.file.images.rows)));
  } else if (!catalogue.file.images) {
    const version = unknownVersion(image);
    if (version !== undefined) {
      const meant = version.meant === undefined ? '' : `did you mean that of ${version.meant}? `;
      yield warning(
        'unknown-image',
        place,
        `there is no ${version.name}`,
        `${meant}use ${usual?.image ?? 'an image of Ubuntu 24.04'}`,
      );
    }
  }
  const machine = catalogue.typeNamed(serverType)?.architecture;
  const wanted = architectureOf(image);
  if (machine === undefined || wanted === undefined || machine === wanted) return;
  const word = { arm: 'Arm', x86: 'x86' };
  const reason = `the image is for ${word[wanted]}, and ${shown(serverType)} is ${word[machine]}`;
  yield warning('wrong-architecture', place, reason, `use an image for ${word[machine]}, or another server type`);
}

/** Only Azure does not mind how names are written. */
function isWritten(type: ProviderTypeName, name: string, known: string | undefined): boolean {
  return known !== undefined && (known === name || type === 'azure');
}

/** Sizes that the manifest makes up: custom machines of Google Cloud; a size of Exoscale without its family. */
function isOwnSize(type: ProviderTypeName, serverType: string): boolean {
  if (type === 'gcp') return /^(?:[a-z]\w{1,3}-)?custom-/.test(serverType);
  return type === 'exoscale' && !serverType.includes('.');
}

function fixOf(type: ProviderTypeName, meant: string | undefined): string {
  const list = `\`kubeloom provider types ${type}\` lists what is known`;
  return meant === undefined ? list : `did you mean ${meant}? ${list}`;
}
