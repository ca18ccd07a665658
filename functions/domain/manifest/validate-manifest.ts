/** Validates a manifest: every fault of form and every broken rule at once, and warnings. */

import { withoutAccepted } from './accepted-warnings.ts';
import { sizeFaults } from './document-size.ts';
import { type Fault, mostFaults, parsePath, pathText } from './fault.ts';
import { InputManifest } from './input-manifest.ts';
import { inDocumentOrder, withoutEmptyFields, withoutServerFields } from './kubernetes-document.ts';
import { clusterRules } from './rules/cluster-rules.ts';
import { dnsRules } from './rules/dns-rules.ts';
import { documentRules } from './rules/document-rules.ts';
import { dynamicPoolRules } from './rules/dynamic-pool-rules.ts';
import { kubernetesOptionRules } from './rules/kubernetes-option-rules.ts';
import { loadBalancerRules } from './rules/load-balancer-rules.ts';
import { indexManifest, type ManifestIndex, type ValidationContext } from './rules/manifest-index.ts';
import { networkRules } from './rules/network-rules.ts';
import { readPartialManifest } from './rules/partial-manifest.ts';
import { poolRules, staticPoolRules } from './rules/pool-rules.ts';
import { providerRules } from './rules/provider-rules.ts';
import { roleRules } from './rules/role-rules.ts';
import { schemaFaults } from './schema-faults.ts';

const rules: readonly ((index: ManifestIndex) => Iterable<Fault>)[] = [
  providerRules,
  poolRules,
  dynamicPoolRules,
  staticPoolRules,
  clusterRules,
  networkRules,
  kubernetesOptionRules,
  documentRules,
  roleRules,
  loadBalancerRules,
  dnsRules,
];

export interface ManifestVerdict {
  /** The manifest with its defaults; absent when there are faults. */
  readonly manifest?: InputManifest;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

/** Validates one document alone and with what is known of its context. Never throws. */
export function validateManifest(document: unknown, context: ValidationContext = {}): ManifestVerdict {
  const vast = sizeFaults(document);
  if (vast.length > 0) return { faults: vast, warnings: [] };
  const stripped = withoutEmptyFields(withoutServerFields(document));
  const { faults: form, intended } = schemaFaults(InputManifest, stripped);
  const places = new Set(form.map(({ path }) => path));
  const index = indexManifest(readPartialManifest(stripped), [...places], context);
  /** Faults that follow from a fault of form would only repeat it. */
  const follows = (path: string) => intended.has(path) || partsAround(path).some((place) => places.has(place));
  const broken = rules
    .flatMap((rule) => [...Iterator.from(rule(index)).take(mostFaults + 1)])
    .filter(({ path }) => !follows(path));
  const all = inDocumentOrder(stripped, [...form, ...broken]);
  const faults = all.filter(({ severity }) => severity === 'error');
  const warnings = withoutAccepted(
    stripped,
    all.filter(({ severity }) => severity === 'warning'),
  );
  const parsed = InputManifest.safeParse(stripped);
  return faults.length === 0 && parsed.success ? { manifest: parsed.data, faults, warnings } : { faults, warnings };
}

/** `a.b[1]` → `a`, `a.b`. */
function partsAround(path: string): readonly string[] {
  const parts = parsePath(path);
  return parts.slice(1).map((_, i) => pathText(parts.slice(0, i + 1)));
}
