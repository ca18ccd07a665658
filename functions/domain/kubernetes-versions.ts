/** Which Kubernetes versions can be built: the one table of KubeOne releases and the minors each accepts. */

export interface KubeOneRelease {
  /** Exact release, or its series where any patch of it will do. */
  readonly release: string;
  readonly minors: readonly string[];
}

/** Newest first. A release drops the oldest minor of the one before, so old clusters climb by way of the older ones. */
export const kubeoneReleases: readonly [KubeOneRelease, ...KubeOneRelease[]] = [
  { release: '1.14.1', minors: ['1.34', '1.35', '1.36'] },
  { release: '1.13', minors: ['1.33', '1.34', '1.35'] },
  { release: '1.12', minors: ['1.32', '1.33', '1.34'] },
];

/** Every minor that some release accepts, oldest first. */
export const supportedMinors: readonly string[] = [...new Set(kubeoneReleases.flatMap((entry) => entry.minors))].sort(
  (left, right) => minorNumber(left) - minorNumber(right),
);

/** `v1.36.0` → `1.36`; undefined when it is not a version of three numbers. */
export function minorOf(version: string): string | undefined {
  return /^v?(\d+\.\d+)\.\d+$/.exec(version)?.[1];
}

/** True when a KubeOne release can build this version. */
export function isSupportedVersion(version: string): boolean {
  const minor = minorOf(version);
  return minor !== undefined && supportedMinors.includes(minor);
}

/** The supported versions in words: "1.34.x, 1.35.x, 1.36.x". */
export function supportedVersionsText(): string {
  return supportedMinors.map((minor) => `${minor}.x`).join(', ');
}

/** The newest release that builds `version`, and, for an upgrade, also knows the version it comes `from`. */
export function kubeoneReleaseFor(version: string, from: string = version): KubeOneRelease | undefined {
  const needed = [minorOf(version), minorOf(from)];
  return kubeoneReleases.find((entry) => needed.every((minor) => minor !== undefined && entry.minors.includes(minor)));
}

/** Negative when `left` is older than `right`, 0 when equal. Both are versions of three numbers, `v` or not. */
export function compareVersions(left: string, right: string): number {
  const a = numbersOf(left);
  const b = numbersOf(right);
  for (let i = 0; i < 3; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): number[] {
  return version.replace(/^v/, '').split('.').map(Number);
}

function minorNumber(minor: string): number {
  return Number(minor.split('.')[1]);
}
