/** The input of planning apart from the records: of a stored manifest, with the settings of the installation. */
import type { Config } from '#contracts/config.ts';
import type { DemandRecord, ManifestRecord } from '#contracts/records.ts';
import type { Demand } from '#domain/demand.ts';
import type { HashSource } from '#domain/naming.ts';

export interface Planning {
  readonly ids: HashSource;
  /** Versions of templates: see `pinTemplates`. */
  readonly templates: Readonly<Record<string, string>>;
  /** Locators of the Secrets that open their repositories, by the same keys. */
  readonly templateSecrets?: Readonly<Record<string, string>>;
  /** What is asked of the clusters, by their ids. @default nothing */
  readonly demands?: Readonly<Record<string, Demand>>;
  /** For new clusters whose manifest names none. */
  readonly defaultStorage: 'longhorn' | 'none';
  /** Upstream files of documents that the runners have, by document. */
  readonly upstreamDocuments: readonly string[];
  /** Base URL under which agents in clusters reach the API; empty: they do not. */
  readonly agentUrl: string;
  /** Authority that they trust for it, PEM; empty: those that Node trusts. */
  readonly agentCa: string;
  /** Types of the providers whose control nodes reach it; empty: all. */
  readonly agentProviders: readonly string[];
  /** Documents of management planes, by the name of the cluster. @default none */
  readonly planes?: ManifestRecord['planes'];
}

/** Settings of the installation that plans follow, and where names of what is new come from. */
export interface PlanSettings {
  readonly ids: HashSource;
  readonly config: Pick<
    Config,
    | 'KUBELOOM_AGENT_CA'
    | 'KUBELOOM_AGENT_PROVIDERS'
    | 'KUBELOOM_AGENT_URL'
    | 'KUBELOOM_DEFAULT_STORAGE'
    | 'KUBELOOM_UPSTREAM_DOCUMENTS'
  >;
}

/** What plans of a stored manifest need. */
export function planningOf(
  { ids, config }: PlanSettings,
  manifest: ManifestRecord,
  demands: readonly DemandRecord[] = [],
): Planning {
  return {
    ids,
    templates: manifest.templates ?? {},
    templateSecrets: manifest.templateSecrets ?? {},
    demands: Object.fromEntries(demands.map((record) => [record.cluster, record])),
    defaultStorage: config.KUBELOOM_DEFAULT_STORAGE,
    upstreamDocuments: config.KUBELOOM_UPSTREAM_DOCUMENTS,
    agentUrl: config.KUBELOOM_AGENT_URL,
    agentCa: config.KUBELOOM_AGENT_CA,
    agentProviders: config.KUBELOOM_AGENT_PROVIDERS,
    planes: manifest.planes ?? {},
  };
}
