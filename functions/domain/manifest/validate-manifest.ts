/** Judges a manifest: every fault of form and every broken rule at once, and what is legal but unwise. */
import type { Fault } from './fault.ts';
import { InputManifest } from './input-manifest.ts';
import { inDocumentOrder, withoutServerFields } from './kubernetes-document.ts';
import { clusterRules } from './rules/cluster-rules.ts';
import { dnsRules } from './rules/dns-rules.ts';
import { readDraft } from './rules/draft.ts';
import { dynamicPoolRules } from './rules/dynamic-pool-rules.ts';
import { loadBalancerRules } from './rules/load-balancer-rules.ts';
import { networkRules } from './rules/network-rules.ts';
import { poolRules, staticPoolRules } from './rules/pool-rules.ts';
import { providerRules } from './rules/provider-rules.ts';
import { roleRules } from './rules/role-rules.ts';
import { type Surroundings, type Survey, surveyOf } from './rules/survey.ts';
import { schemaFaults } from './schema-faults.ts';

const rules: readonly ((survey: Survey) => Iterable<Fault>)[] = [
  providerRules,
  poolRules,
  dynamicPoolRules,
  staticPoolRules,
  clusterRules,
  networkRules,
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

/** Judges one document by itself and by what is known of its surroundings. Never throws. */
export function validateManifest(document: unknown, surroundings: Surroundings = {}): ManifestVerdict {
  const stripped = withoutServerFields(document);
  const form = schemaFaults(InputManifest, stripped);
  const survey = surveyOf(
    readDraft(stripped),
    form.map(({ path }) => path),
    surroundings,
  );
  const broken = rules.flatMap((rule) => [...rule(survey)]);
  const all = inDocumentOrder(stripped, [...form, ...broken]);
  const faults = all.filter(({ severity }) => severity === 'error');
  const warnings = all.filter(({ severity }) => severity === 'warning');
  const parsed = InputManifest.safeParse(stripped);
  return faults.length === 0 && parsed.success ? { manifest: parsed.data, faults, warnings } : { faults, warnings };
}
