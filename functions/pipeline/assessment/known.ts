/** What is known before a decision about a manifest is made: values only, which `gather` reads and `assess` decides from. */
import type { WireFault } from '#contracts/api-bodies.ts';
import type { ClusterRecord, DemandRecord, ManifestKey, ManifestRecord } from '#contracts/records.ts';
import type { ClusterFacts } from '#domain/cluster-state.ts';
import type { Fault } from '#domain/manifest/faults/fault.ts';
import type { MachineGroups } from '#domain/manifest/groups/machine-groups.ts';
import type { InputManifest } from '#domain/manifest/schema/input-manifest.ts';
import type { ManagementPlane } from '#domain/planes/management-plane.ts';
import type { PlanSettings } from '../plans/planning.ts';
import type { Making } from '../records/next-record.ts';

/** A document, and what is submitted with it. */
export interface WantedDocument {
  readonly document: unknown;
  readonly stored: ManifestRecord | undefined;
  /** Documents that are to be stored with it: Secrets, TemplateGitReferences and ManagementPlanes among them count as stored. @default none */
  readonly accompanying?: readonly unknown[];
  /** Names of stored ManagementPlanes that are to be deleted with it. @default none */
  readonly withoutPlanes?: readonly string[];
}

/** Versions that are used without a question. */
export type PinnedBefore = Omit<PinnedTemplates, 'faults'>;

/** `behind`, `taking`: what the record says of those that moved. */
export interface PinnedTemplates extends Pick<ManifestRecord, 'behind' | 'taking'> {
  /** `git:<url>@<commit>#<path>` by provider instance, or `documentsKey`, for those that do not use the templates that come with Kubeloom. */
  readonly templates: Readonly<Record<string, string>>;
  /** Locators of the Secrets of private repositories, by the same keys. */
  readonly templateSecrets: Readonly<Record<string, string>>;
  /** References that name nothing, by their place in the manifest. */
  readonly faults: readonly Fault[];
}

/** Planes of a namespace, and those that a manifest is submitted with. */
export interface WantedPlanes {
  readonly stored: readonly ManagementPlane[];
  readonly sent: readonly ManagementPlane[];
  /** Those that its clusters will have. */
  readonly wanted: readonly ManagementPlane[];
}

export interface KnownPlanes extends WantedPlanes {
  /** What runners started to apply, by the name of the cluster; complete for those of `wanted`. */
  readonly installed: Readonly<Record<string, ClusterFacts['documents']>>;
}

/** The verdict on a document alone, among what it refers to. */
export interface Form {
  readonly faults: readonly WireFault[];
  readonly warnings: readonly WireFault[];
  /** As it would be stored, and as a manifest; absent when there are faults. */
  readonly accepted?: { readonly document: InputManifest | MachineGroups; readonly manifest: InputManifest };
}

export interface KnownDocument extends Pick<WantedDocument, 'document' | 'stored'> {
  readonly key: ManifestKey;
  readonly form: Form;
  /** Absent when the form is faulty. */
  readonly existing?: KnownExisting;
}

/** What a document with a good form meets. */
export interface KnownExisting extends Making, PlanSettings {
  readonly clusters: readonly ClusterRecord[];
  readonly demands: readonly DemandRecord[];
  readonly planes: KnownPlanes;
  readonly templates: PinnedTemplates;
}
