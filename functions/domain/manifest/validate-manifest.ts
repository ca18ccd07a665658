/** Validates a manifest: every fault of form and every broken rule at once, and warnings. */

import { withoutAccepted } from './faults/accepted-warnings.ts';
import { inDialect } from './faults/claudie-dialects.ts';
import { sizeFaults } from './faults/document-size.ts';
import { type Fault, mostFaults, parsePath, pathText } from './faults/fault.ts';
import { inDocumentOrder, withoutEmptyFields, withoutServerFields } from './faults/kubernetes-document.ts';
import { placeholderPaths, withPlaceholders } from './faults/placeholders.ts';
import { schemaFaults } from './faults/schema-faults.ts';
import { cloudFactRules } from './rules/cloud-fact-rules.ts';
import { cloudWordRules } from './rules/cloud-word-rules.ts';
import { clusterRules } from './rules/cluster-rules.ts';
import { dnsRules } from './rules/dns-rules.ts';
import { documentRules } from './rules/document-rules.ts';
import { dynamicPoolRules } from './rules/dynamic-pool-rules.ts';
import { growthOrderRules } from './rules/growth-order-rules.ts';
import { kubernetesOptionRules } from './rules/kubernetes-option-rules.ts';
import { loadBalancerRules } from './rules/load-balancer-rules.ts';
import { indexManifest, type ManifestIndex, type ValidationContext } from './rules/manifest-index.ts';
import { clusterAddressRules, networkRules } from './rules/network-rules.ts';
import { readPartialManifest } from './rules/partial-manifest.ts';
import { poolRules, staticPoolRules } from './rules/pool-rules.ts';
import { providerRules } from './rules/provider-rules.ts';
import { proxyRules } from './rules/proxy-rules.ts';
import { roleRules } from './rules/role-rules.ts';
import { InputManifest } from './schema/input-manifest.ts';
import { withProxy } from './with-proxy.ts';

type Rule = (index: ManifestIndex) => Iterable<Fault>;

/** Rules for machines and their load balancers, with or without Kubernetes. */
export const machineRules: readonly Rule[] = [
  providerRules,
  poolRules,
  dynamicPoolRules,
  growthOrderRules,
  cloudWordRules,
  cloudFactRules,
  staticPoolRules,
  networkRules,
  roleRules,
  loadBalancerRules,
  dnsRules,
];
const rules: readonly Rule[] = [
  ...machineRules,
  clusterRules,
  clusterAddressRules,
  proxyRules,
  kubernetesOptionRules,
  documentRules,
];

export interface ManifestVerdict {
  /** The manifest with its defaults; absent when there are faults. */
  readonly manifest?: InputManifest;
  readonly faults: readonly Fault[];
  readonly warnings: readonly Fault[];
}

/** Validates one document alone and with what is known of its context. Never throws. */
export function validateManifest(document: unknown, context: ValidationContext): ManifestVerdict {
  const vast = sizeFaults(document);
  if (vast.length > 0) return { faults: vast, warnings: [] };
  const stripped = withoutEmptyFields(withoutServerFields(document));
  const { faults: form, intended } = schemaFaults(InputManifest, stripped);
  const places = new Set(form.map(({ path }) => path));
  const broken = brokenRules(stripped, { rules, faultPaths: [...places], context }).filter(
    ({ path }) => !follows(path, { places, intended }),
  );
  const spoken = form.map((fault) => inDialect(stripped, fault));
  const all = inDocumentOrder(stripped, withPlaceholders([...spoken, ...broken], placeholderPaths(stripped)));
  const faults = all.filter(({ severity }) => severity === 'error');
  const warnings = withoutAccepted(
    stripped,
    all.filter(({ severity }) => severity === 'warning'),
  );
  const parsed = InputManifest.safeParse(stripped);
  if (faults.length > 0 || !parsed.success) return { faults, warnings };
  return { manifest: withProxy(parsed.data, context.installationProxy), faults, warnings };
}

/** What rules find in a document, also one that is not complete; `faultPaths` are the places that do not fit its schema. */
export function brokenRules(
  document: unknown,
  question: {
    readonly rules: readonly Rule[];
    readonly faultPaths: readonly string[];
    readonly context: ValidationContext;
    /** The document is one of machine groups. @default false */
    readonly machinesOnly?: boolean;
  },
): readonly Fault[] {
  const { faultPaths, context, machinesOnly } = question;
  const index = indexManifest(readPartialManifest(document), faultPaths, context, machinesOnly);
  return question.rules.flatMap((rule) => [...Iterator.from(rule(index)).take(mostFaults + 1)]);
}

/** True for faults that follow from a fault of form, and would only repeat it. */
export function follows(
  path: string,
  { places, intended }: { readonly places: ReadonlySet<string>; readonly intended: ReadonlySet<string> },
): boolean {
  return intended.has(path) || partsAround(path).some((place) => places.has(place));
}

/** `a.b[1]` → `a`, `a.b`. */
function partsAround(path: string): readonly string[] {
  const parts = parsePath(path);
  return parts.slice(1).map((_, i) => pathText(parts.slice(0, i + 1)));
}
