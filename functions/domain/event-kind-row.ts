/** What is known of a kind of event. */
export type EventLevel = 'info' | 'warning' | 'error';

export interface EventKindRow {
  /** That of an event that names none. */
  readonly level: EventLevel;
  /** Other levels that it may name. */
  readonly or?: readonly EventLevel[];
  /** Whether it names a node; absent: never. */
  readonly node?: 'always' | 'sometimes';
  readonly when: string;
  /** Whose fault it is. */
  readonly fault?: string;
}
