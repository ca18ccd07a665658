/** A part of a list, and where it goes on. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Opaque; absent on the last page. */
  readonly next?: string;
}
