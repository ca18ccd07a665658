/** The events of all manifests, and the bus on which others read them. */
import type { ManifestKey, RunEvent } from '#contracts/records.ts';

/** An event with the manifest that it is about, and its place among the events of all manifests. */
export interface StoredFeedEvent {
  /** Grows with each event; a follower goes on behind it. */
  readonly id: string;
  readonly manifest: ManifestKey;
  readonly event: RunEvent;
}

export interface StoredFeedPage {
  readonly items: readonly StoredFeedEvent[];
  /** Something is there behind the last one. */
  readonly more: boolean;
}

/** The events of all manifests, in one order that never changes: what is read once has nothing new before it. */
export interface EventFeed {
  /**
   * Appends the events of a batch of the table's stream in its order, each once, however often the batch is delivered.
   * Answers them with their ids.
   */
  take(batch: unknown): Promise<readonly StoredFeedEvent[]>;
  /** At most so many behind an id; those that happened from a time (ISO 8601) on; or from the oldest on. */
  read(from: { readonly after?: string; readonly since?: string }, most: number): Promise<StoredFeedPage>;
}

/** Where others subscribe to events. */
export interface EventBus {
  /** At least once each. Throws when the bus does not take one. Does nothing in an installation without a bus. */
  publish(events: readonly StoredFeedEvent[]): Promise<void>;
}
