/** What each view of a manifest is given. */
import type { ManifestDescription } from '#contracts/api-bodies.ts';
import type { Name } from './commands.ts';

export interface TabProps {
  readonly of: Name;
  readonly manifest: ManifestDescription;
  /** What is chosen in the view, from its address. */
  readonly chosen: Readonly<Record<string, string>>;
}
