/** Pure: what an upgrade of an installation to another release requires. */
import type { ManifestSummary } from '#contracts/api-bodies.ts';
import { compareVersions } from '#domain/kubernetes-versions.ts';

/** The oldest release that this one upgrades: its recordings are in test/upgrade/recorded. */
export const oldestRelease = '0.1.0';

export interface UpgradeFinding {
  readonly state: 'ok' | 'note' | 'wrong';
  readonly about: string;
  readonly found: string;
  /** What to do. */
  readonly fix?: string;
}

/** As `kubeloom doctor --aws` says it. */
interface Quota {
  readonly name: string;
  readonly state: 'ok' | 'warning' | 'wrong' | 'skipped';
  readonly found: string;
  readonly fix?: string;
}

export interface UpgradeQuestion {
  /** What is installed. */
  readonly from: { readonly version: string; readonly providerTypes: readonly string[] };
  /** What would be deployed: the release of this command line. */
  readonly to: { readonly version: string; readonly providerTypes: readonly string[] };
  readonly manifests: readonly Pick<ManifestSummary, 'namespace' | 'name' | 'status'>[];
  /** Quotas that this release needs and the installed one does not; absent: no one asked the account. */
  readonly quotas?: readonly Quota[];
}

/** All at once, also where one of them speaks against it. */
export function upgradeFindings({ from, to, manifests, quotas }: UpgradeQuestion): readonly UpgradeFinding[] {
  const named = (...statuses: readonly string[]) =>
    manifests.filter(({ status }) => statuses.includes(status)).map(({ namespace, name }) => `${namespace}/${name}`);
  return [
    versions(from.version, to.version),
    types(from.providerTypes, to.providerTypes),
    records(named('Unreadable')),
    runs(named('Pending', 'Running', 'Deleting')),
    ...(quotas === undefined ? [] : quotaFindings(quotas)),
  ];
}

function versions(from: string, to: string): UpgradeFinding {
  const about = 'versions';
  const found = `${from} is installed, this is ${to}`;
  if (compareNumbers(from, oldestRelease) < 0) {
    const fix = `upgrade to ${oldestRelease} first: executions and records of releases before it are not understood`;
    return { state: 'wrong', about, found, fix };
  }
  const order = compareNumbers(from, to);
  if (order > 0) {
    const fix = 'check out the release that is installed, or a newer one; going back is in docs/aws/upgrade.md';
    return { state: 'wrong', about, found, fix };
  }
  return order === 0
    ? { state: 'note', about, found: `${found}: nothing to upgrade, a deployment changes options` }
    : { state: 'ok', about, found };
}

function types(from: readonly string[], to: readonly string[]): UpgradeFinding {
  const about = 'provider types';
  const gone = from.filter((type) => !to.includes(type));
  if (gone.length === 0) return { state: 'ok', about, found: 'all that the installation knows are in this release' };
  const fix =
    'remove the pools of these types first, or stay with the release that has them: their machines could not be deleted any more';
  return { state: 'wrong', about, found: `this release has no ${gone.join(', ')}`, fix };
}

function records(unreadable: readonly string[]): UpgradeFinding {
  const about = 'records';
  if (unreadable.length === 0) return { state: 'ok', about, found: 'every manifest is read' };
  const fix =
    'deploy the release that wrote them, or see docs/troubleshooting.md: this release may not read them either';
  return { state: 'wrong', about, found: `not understood: ${unreadable.join(', ')}`, fix };
}

function runs(atWork: readonly string[]): UpgradeFinding {
  const about = 'runs';
  if (atWork.length === 0) return { state: 'ok', about, found: 'none is at work' };
  const found = `at work: ${atWork.join(', ')}. They continue, on the images that they began with`;
  return {
    state: 'note',
    about,
    found,
    fix: 'nothing has to be done; `kubeloom pause NAME` stops a long one after its waypoint',
  };
}

const quotaStates = { ok: 'ok', warning: 'note', wrong: 'wrong', skipped: 'note' } as const;

function quotaFindings(quotas: readonly Quota[]): readonly UpgradeFinding[] {
  if (quotas.length === 0) return [{ state: 'ok', about: 'quotas', found: 'this release needs none that is new' }];
  return quotas.map(({ name, state, found, fix }) => ({
    state: quotaStates[state],
    about: name,
    found,
    ...(fix !== undefined && { fix }),
  }));
}

/** Negative when the first is older. What follows a dash is left out. */
function compareNumbers(one: string, other: string): number {
  return compareVersions(one.split('-')[0] ?? '', other.split('-')[0] ?? '');
}
