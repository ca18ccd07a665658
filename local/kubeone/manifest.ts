/** Reads kubeone.yaml as KubeOne reads it, refuses what it refuses, and fills in its defaults. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import type { z } from 'zod';
import { type KubeOneRelease, kubeoneReleases } from '#domain/kubernetes-versions.ts';
import { runtimeFailure } from './refusal.ts';
import { type Host, KubeOneV1beta2 } from './v1beta2.ts';
import { brokenV1beta2Rules } from './v1beta2-rules.ts';

/** A host with KubeOne's defaults. */
export type HostConfig = Host &
  Required<
    Pick<Host, 'publicAddress' | 'privateAddress' | 'sshPort' | 'sshUsername' | 'sshPrivateKeyFile' | 'hostname'>
  >;

/** The part of the manifest that the simulated control plane uses. */
export interface KubeOneCluster {
  readonly name: string;
  /** Without leading v. */
  readonly version: string;
  readonly controls: readonly HostConfig[];
  readonly workers: readonly HostConfig[];
  readonly apiEndpoint: { readonly host: string; readonly port: number; readonly alternativeNames: readonly string[] };
}

/** What KubeOne gives control nodes whose manifest names no taints. */
export const controlTaint = { key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' };

/** What KubeOne was doing with the configuration, and what is wrong. */
export interface ManifestRefusal {
  readonly doing: string;
  readonly problems: readonly string[];
}

export type ParsedKubeOneManifest =
  | { readonly cluster: KubeOneCluster; readonly directory: string }
  | { readonly refusal: ManifestRefusal };

/** Reads the file; `release` is the KubeOne that was called. Throws `KubeOneRefusal` when it cannot be read. */
export async function readKubeOneManifest(file: string, release: KubeOneRelease): Promise<ParsedKubeOneManifest> {
  const content = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => error);
  if (content instanceof Error) {
    const words = content.code === 'ENOENT' ? `open ${file}: no such file or directory` : content.message;
    throw runtimeFailure('reading cluster configuration', words);
  }
  const manifest = parseManifest(content, release);
  if ('refusal' in manifest) return manifest;
  const cluster = withDefaults(manifest.document);
  const directory = dirname(resolve(file));
  const addons = manifest.document.addons;
  if (addons?.enable && addons.path && !existsSync(resolve(directory, addons.path)))
    throw runtimeFailure(
      'checking addons directory',
      `stat ${resolve(directory, addons.path)}: no such file or directory`,
    );
  const ignored = unavailableFeatures(manifest.document);
  if (ignored.length > 0)
    return refused(
      'validation',
      ignored.map(
        (name) => `features.${name}: the simulated control plane does not have it; only real Kubernetes does`,
      ),
    );
  const needed = [...cluster.controls, ...cluster.workers];
  const missing = [
    ...needed.flatMap(({ hostname, publicAddress }) =>
      hostname ? [] : [`${publicAddress}: the simulated control plane needs the hostname`],
    ),
    ...needed
      .filter(({ sshPrivateKeyFile }) => !existsSync(resolve(directory, sshPrivateKeyFile)))
      .map(({ sshPrivateKeyFile }) => `open ${sshPrivateKeyFile}: no such file or directory`),
  ];
  return missing.length > 0 ? refused('reading SSH private key', missing) : { cluster, directory };
}

/** What would be ignored in silence; DNS and metrics are ignored because nothing runs that could use them. */
function unavailableFeatures({ features }: KubeOneV1beta2): readonly string[] {
  const switched = [
    ...(['alwaysPullImages', 'eventRateLimit', 'podNodeSelector', 'podSecurityPolicy', 'staticAuditLog'] as const),
    ...(['dynamicAuditLog', 'openidConnect', 'encryptionProviders'] as const),
  ];
  return switched.filter((name) => features?.[name]?.enable === true);
}

/** Checks a document against the fields, types and rules of v1beta2. */
export function parseManifest(
  content: string,
  release: KubeOneRelease = kubeoneReleases[0],
): { readonly document: KubeOneV1beta2 } | { readonly refusal: ManifestRefusal } {
  let document: unknown;
  try {
    document = withoutNulls(parse(content));
  } catch (error) {
    return refused('unmarshal cluster typeMeta', [error instanceof Error ? error.message : String(error)]);
  }
  const { apiVersion, kind } = Object(document);
  const problem =
    !apiVersion || !kind
      ? 'apiVersion and kind must be present in the manifest'
      : kind !== 'KubeOneCluster'
        ? `provided object "${kind}" is not KubeOneCluster object`
        : apiVersion !== 'kubeone.k8c.io/v1beta2'
          ? `provided apiVersion "${apiVersion}" is not supported`
          : undefined;
  if (problem !== undefined) return refused('validation', [problem]);
  const read = KubeOneV1beta2.safeParse(document);
  if (!read.success)
    return refused('decoding kubeone.k8c.io/v1beta2, Kind=KubeOneCluster', read.error.issues.flatMap(decodingProblem));
  const broken = brokenV1beta2Rules(read.data, release);
  return broken.length > 0 ? refused('validation', broken) : { document: read.data };
}

function refused(doing: string, problems: readonly string[]): { readonly refusal: ManifestRefusal } {
  return { refusal: { doing, problems } };
}

/** In Go null leaves a field as it is, so it is the same as absent. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([, entry]) => entry !== null);
  return Object.fromEntries(kept.map(([key, entry]) => [key, withoutNulls(entry)]));
}

function decodingProblem(issue: z.core.$ZodIssue): string[] {
  const path = issue.path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  const place = path.replace(/^\./, '');
  if (issue.code !== 'unrecognized_keys') return [`json: cannot unmarshal ${place}: ${issue.message}`];
  return issue.keys.map((key) => `strict decoding error: unknown field "${place === '' ? key : `${place}.${key}`}"`);
}

function withDefaults(document: KubeOneV1beta2): KubeOneCluster {
  const controls = (document.controlPlane?.hosts ?? []).map(hostOf);
  const { host, port, alternativeNames = [] } = document.apiEndpoint ?? {};
  return {
    name: document.name ?? '',
    version: (document.versions?.kubernetes ?? '').replace(/^v/, ''),
    controls,
    workers: (document.staticWorkers?.hosts ?? []).map(hostOf),
    apiEndpoint: { host: host || (controls[0]?.publicAddress ?? ''), port: port || 6443, alternativeNames },
  };
}

function hostOf(host: Host): HostConfig {
  return {
    ...host,
    publicAddress: host.publicAddress || (host.privateAddress ?? ''),
    privateAddress: host.privateAddress || (host.publicAddress ?? ''),
    sshPort: host.sshPort || 22,
    sshUsername: host.sshUsername || 'root',
    sshPrivateKeyFile: host.sshPrivateKeyFile ?? '',
    hostname: host.hostname ?? '',
  };
}
