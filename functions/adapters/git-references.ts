/**
 * `TemplateSources` by git's own protocol (version 2, "ls-refs" over https): one request, no files, no credentials.
 * A library for git would put the API's bundle over its limit of 1 MB; this is all that is needed of one.
 */
import { z } from 'zod';
import { closedText } from '#domain/observed/closed-texts.ts';
import { highestVersion, isCommitHash, latestVersion } from '#domain/template-version.ts';
import type { RepositoryDocument, ResolvedTemplates, TemplateSources } from '../ports.ts';
import { askPublicly, type HttpsAnswer, RefusedAddress } from './public-https.ts';

export interface GitReferencesOptions {
  /** Hosts, with port if any, that may have a private address. */
  readonly privateHosts: readonly string[];
  /** For a whole answer. @default 10,000 */
  readonly timeoutMs?: number;
  /** Value of the header, where the repository is private. @default none */
  readonly authorization?: string;
  /** Only commits that a branch or tag is at: hosts serve those of forks at the address of a repository. @default any */
  readonly namedOnly?: boolean;
}

/** Refs of one name, or all tags: more than enough. */
const mostBytes = 1_000_000;

export class GitReferences implements TemplateSources {
  readonly #options: Pick<Required<GitReferencesOptions>, 'privateHosts' | 'timeoutMs'>;
  readonly #login: Readonly<Record<string, string>>;
  readonly #namedOnly: boolean;

  constructor({ privateHosts, timeoutMs = 10_000, authorization, namedOnly = false }: GitReferencesOptions) {
    this.#namedOnly = namedOnly;
    this.#options = { privateHosts, timeoutMs };
    this.#login = authorization === undefined ? {} : { authorization };
  }

  async resolve(
    url: string,
    revision: string,
    document: RepositoryDocument = 'TemplateGitReference',
  ): Promise<ResolvedTemplates> {
    if (isCommitHash(revision) && !this.#namedOnly) return { commit: revision };
    try {
      if (isCommitHash(revision)) return await this.#named(url, revision);
      const refs = refsOf(await this.#ask(url, lsRefs(prefixesOf(revision))));
      const named =
        refs.get(`refs/tags/${revision}`) ?? refs.get(`refs/heads/${revision}`) ?? refs.get(fullName(revision) ?? '');
      const commit = named ?? (revision === latestVersion ? newest(refs) : undefined);
      return commit === undefined ? unknownRevision(url, revision, document) : { commit };
    } catch (thrown) {
      return unanswered(url, thrown, { document, loggedIn: 'authorization' in this.#login });
    }
  }

  async #named(url: string, commit: string): Promise<ResolvedTemplates> {
    const body = lsRefs(['refs/heads/', 'refs/tags/']);
    if ([...refsOf(await this.#ask(url, body)).values()].includes(commit)) return { commit };
    return {
      reason: `no branch and no tag of ${url} is at the commit ${commit}, and this installation only accepts commits of a branch or tag, because others may come from a fork`,
      fix: 'name a branch or a tag, or a commit that one of them points to',
    };
  }

  /** Some hosts only know a repository under its name with `.git`. */
  async #ask(url: string, body: string): Promise<Buffer> {
    const first = await this.#post(url, body);
    const answer = first.status === 200 || url.endsWith('.git') ? first : await this.#post(`${url}.git`, body);
    if (answer.status !== 200) throw new UnwillingHost(answer.status);
    return answer.body;
  }

  #post(url: string, body: string): Promise<HttpsAnswer> {
    return askPublicly(`https://${url}/git-upload-pack`, {
      method: 'POST',
      ...this.#options,
      mostBytes,
      body,
      headers: {
        'content-type': 'application/x-git-upload-pack-request',
        accept: 'application/x-git-upload-pack-result',
        'git-protocol': 'version=2',
        'user-agent': 'git/2 kubeloom',
        ...this.#login,
      },
    });
  }
}

/** Keeps what is written: for runners that fetch no files. */
export const recordedTemplateSources: TemplateSources = {
  resolve: async (_url, revision) => ({ commit: revision }),
};

class UnwillingHost extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`it answered with status ${status}`);
    this.status = status;
  }
}

/** A line of git's protocol: its length in four hexadecimal digits, itself included, then its text. */
function line(text: string): string {
  return (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text;
}

/** The full name of a branch or tag. Refs of pull requests are excluded: anyone can open one. */
function fullName(revision: string): string | undefined {
  return /^refs\/(heads|tags)\//.test(revision) ? revision : undefined;
}

function prefixesOf(revision: string): readonly string[] {
  return [
    revision === latestVersion ? 'refs/tags/' : `refs/tags/${revision}`,
    `refs/heads/${revision}`,
    ...(fullName(revision) === undefined ? [] : [revision]),
  ];
}

function lsRefs(prefixes: readonly string[]): string {
  return [
    line('command=ls-refs\n'),
    '0001',
    line('peel\n'),
    ...prefixes.map((prefix) => line(`ref-prefix ${prefix}\n`)),
    '0000',
  ].join('');
}

const Commit = closedText(40, /^[0-9a-f]{40}$/);

/** Commit, name, and attributes such as `peeled:<commit>`: a commit becomes an argument of git. */
export const GitRef = z
  .tuple([Commit, closedText(1000, /^[^\p{C} ]+$/u)])
  .rest(closedText(1000, /^[a-z-]+(?::[^\p{C} ]*)?$/u));

/** Name to commit; of an annotated tag the commit that it marks. Throws when it is not an answer of git. */
function refsOf(answer: Buffer): ReadonlyMap<string, string> {
  const refs = new Map<string, string>();
  for (let at = 0; at < answer.length; ) {
    const length = Number.parseInt(answer.toString('latin1', at, at + 4), 16);
    if (length === 0) break;
    if (!(length > 4 && at + length <= answer.length)) throw new Error('its answer is not in the protocol of git');
    const words = answer
      .toString('utf8', at + 4, at + length)
      .trimEnd()
      .split(' ');
    const [commit, name, ...attributes] = GitRef.parse(words);
    const peeled = attributes.find((attribute) => attribute.startsWith('peeled:'))?.slice('peeled:'.length);
    refs.set(name, peeled === undefined ? commit : Commit.parse(peeled));
    at += length;
  }
  return refs;
}

/** The commit of the highest version tag. */
function newest(refs: ReadonlyMap<string, string>): string | undefined {
  const tags = [...refs.keys()].flatMap((name) => /^refs\/tags\/(.+)$/.exec(name)?.[1] ?? []);
  return refs.get(`refs/tags/${highestVersion(tags)}`);
}

function unknownRevision(url: string, revision: string, document: RepositoryDocument): ResolvedTemplates {
  if (revision === latestVersion) {
    const reason = `${url} has no version tag such as "v1.2.3", so "latest" means nothing`;
    return { reason, fix: 'name a branch, a tag or the 40 digits of a commit' };
  }
  const short = /^[0-9a-f]{7,39}$/.test(revision);
  return {
    reason: `${url} has no branch or tag "${revision}"`,
    fix: short
      ? 'give all 40 digits of a commit hash'
      : `name a branch, a tag or the 40 digits of a commit ${wordsFor[document].place}`,
  };
}

/** Where a document names the revision, and what to do about a private repository. A plugin has no token. */
const wordsFor = {
  TemplateGitReference: {
    place: 'in the TemplateGitReference',
    isPrivate: 'for a private repository give the TemplateGitReference an auth.secretRef',
  },
  GitSource: {
    place: 'in the GitSource',
    isPrivate: 'for a private repository give the GitSource a spec.secretRef',
  },
  plugin: { place: 'as version of the plugin', isPrivate: 'the repository of a provider type has to be public' },
} as const satisfies Record<RepositoryDocument, unknown>;

function unanswered(
  url: string,
  thrown: unknown,
  { document, loggedIn }: { readonly document: RepositoryDocument; readonly loggedIn: boolean },
): ResolvedTemplates {
  if (thrown instanceof RefusedAddress) return { reason: thrown.message, fix: thrown.fix };
  if (thrown instanceof UnwillingHost && [401, 403, 404].includes(thrown.status)) {
    return loggedIn
      ? {
          reason: `${url} denies access to the token of the ${document} (status ${thrown.status})`,
          fix: 'correct the address, or put a token that may read the repository into its Secret',
        }
      : {
          reason: `${url} is not a public repository (status ${thrown.status})`,
          fix: `correct the address; ${wordsFor[document].isPrivate}`,
        };
  }
  const why =
    thrown instanceof z.ZodError
      ? 'its answer is not in the protocol of git'
      : String((thrown as Error).message ?? thrown);
  return {
    reason: `the commit could not be read from ${url}: ${why}`,
    fix: 'retry; or pin the full 40-digit commit hash, which needs no lookup',
  };
}
