/** GitSources in the store and on the wire: the document, who made it, what was read last and the result of it. */
import { z } from 'zod';
import { GitSource } from '#domain/manifest/schema/git-source.ts';
import { manifestKinds } from '#domain/manifest/schema/manifest-kinds.ts';
import { WireFault } from './api-bodies.ts';
import { ManifestPath } from './http-parameters.ts';
import { maybeText } from './moved-templates.ts';

/** A fault of a file of the repository. */
export const SourceFault = WireFault.extend({ file: z.string().describe('from the root of the repository') }).meta({
  id: 'SourceFault',
});
export type SourceFault = z.infer<typeof SourceFault>;

const rowStates = ['applied', 'unchanged', 'proposed', 'refused', 'held', 'changed', 'deleted', 'kept'] as const;

/** The result for a manifest of the repository. */
export const SourceRow = z
  .object({
    name: z.string(),
    kind: z.enum(manifestKinds),
    file: z.string(),
    state: z
      .enum(rowStates)
      .describe(
        'held: it has no fault, and others have; changed: someone changed or deleted it since; kept: its file is gone, the manifest is not',
      ),
    runId: maybeText,
    plan: maybeText.describe('proposed plans only: the id for `kubeloom approve`'),
    because: maybeText,
  })
  .meta({ id: 'SourceRow' });
export type SourceRow = z.infer<typeof SourceRow>;

export const SourceStatus = z
  .object({
    state: z
      .enum(['Pending', 'Fetching', 'Ready', 'Faulty', 'Unreachable', 'Refused', 'Suspended'])
      .describe(
        'Faulty: `faults` says which files; Unreachable: the repository did not answer as it should; Refused: the person who applied it no longer has the role operator',
      ),
    commit: maybeText.describe('the commit that was read last'),
    readAt: maybeText,
    problem: z.object({ reason: z.string(), fix: z.string() }).optional(),
    faults: z.array(SourceFault),
    manifests: z.array(SourceRow),
  })
  .meta({ id: 'SourceStatus' });
export type SourceStatus = z.infer<typeof SourceStatus>;

/** The manifests of a commit of a git repository. */
export const SourceLookup = z.strictObject({
  /** Name of the GitSource, for messages. */
  name: z.string(),
  /** Host and path of the repository, without scheme. */
  url: z.string(),
  /** Branch, tag or commit. */
  ref: z.string(),
  /** Folder or file, from the root. */
  path: z.string(),
  /** `locatorText` of the Secret with the token; absent: the repository is public. */
  secret: maybeText,
  /** A commit whose files are not wanted again. */
  known: maybeText,
});
export type SourceLookup = z.infer<typeof SourceLookup>;

/** The files of a commit, as a runner leaves them. */
export const SourceFiles = z.strictObject({
  commit: z.string(),
  /** Absent when the commit is the known one. */
  files: z.array(z.strictObject({ path: z.string(), text: z.string() })).optional(),
  /** Faults of files whose text is missing here. */
  faults: z.array(SourceFault).optional(),
});
export type SourceFiles = z.infer<typeof SourceFiles>;

const SubmittedManifest = z.strictObject({
  kind: z.enum(manifestKinds),
  file: z.string(),
  checksum: z.string(),
  /** Uid of the manifest: a later manifest of the same name has a different one; absent until it is known. */
  uid: maybeText,
  /** When its file was first missed: from then on another GitSource may take it over. */
  goneSince: maybeText,
});

export const GitSourceRecord = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  /** Optimistic lock: every write is one more than what it read. */
  version: z.number().int(),
  /** Generation of the document. */
  generation: z.number().int(),
  document: GitSource,
  /** Whose rights it has: checked at each submission, never answered but for its name. */
  maker: z.strictObject({
    kind: z.enum(['iam', 'token', 'unknown']),
    name: z.string(),
    claims: z.record(z.string(), z.array(z.string())),
  }),
  /** When the document was stored, ISO 8601. */
  at: z.string(),
  /** When the scheduler does the next step. */
  dueAt: z.string(),
  status: SourceStatus,
  /** The commit and the generation that were submitted without anything left to do. */
  done: z.strictObject({ commit: z.string(), generation: z.number().int() }).optional(),
  /** The question that a runner answers. */
  fetching: maybeText,
  /** When the repository was last asked for its commit. */
  askedAt: maybeText,
  /** Manifests that it submitted, by name. */
  submitted: z.record(z.string(), SubmittedManifest),
});
export type GitSourceRecord = z.infer<typeof GitSourceRecord>;
export type GitSourceKey = Pick<GitSourceRecord, 'namespace' | 'name'>;

export const GitSourcePath = ManifestPath;

export const GitSourceSummary = z
  .object({
    namespace: z.string(),
    name: z.string(),
    generation: z.number().int(),
    by: z.string().describe('who applied it; it has their rights in its own namespace'),
    at: z.string(),
    nextAt: z.string().describe('when it takes its next step'),
    url: z.string(),
    ref: z.string(),
    path: z.string(),
    status: SourceStatus,
  })
  .meta({ id: 'GitSourceSummary' });
export type GitSourceSummary = z.infer<typeof GitSourceSummary>;

export const GitSourceList = z.object({ items: z.array(GitSourceSummary) }).meta({ id: 'GitSourceList' });

export const GitSourceDescription = GitSourceSummary.extend({
  document: z.unknown().describe('as it can be applied again'),
}).meta({ id: 'GitSourceDescription' });
export type GitSourceDescription = z.infer<typeof GitSourceDescription>;
