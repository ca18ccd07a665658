/** The interfaces to builds: whether they run, what they are for, and which credentials they have. */
import type { BuildCredentials } from '#contracts/build-credentials.ts';

/** A build as the service that runs it knows it. */
export interface KnownBuild {
  readonly id: string;
  readonly project: string;
  /** As its starter gave them, which name its job. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  readonly status: 'running' | 'ended';
}

export interface Builds {
  /** Those with one of the ids that exist. */
  find(buildIds: readonly string[]): Promise<readonly KnownBuild[]>;
  /** Undefined when nothing is known of it (any more). */
  status(buildId: string): Promise<'running' | 'ended' | undefined>;
  /** Ids of the builds of a waypoint that have not ended. */
  running(waypointPrefix: string): Promise<readonly string[]>;
  /** Stops a build; no error when it has ended or never was. */
  stop(buildId: string): Promise<void>;
}

/** Which builds have their credentials. */
export interface BuildGrants {
  /** Only the digest of the first call for a build gets true, then and later. Forgotten after a day. @param at ISO 8601 */
  take(grant: { readonly build: string; readonly digest: string; readonly at: string }): Promise<boolean>;
}

/** Sessions of the roles of tools. */
export interface BuildSessions {
  open(session: {
    /** ARN */
    readonly role: string;
    readonly name: string;
    readonly tags: Readonly<Record<string, string>>;
    /** JSON; the session may do what it and the role allow. */
    readonly policy: string;
    readonly seconds: number;
  }): Promise<BuildCredentials>;
}
