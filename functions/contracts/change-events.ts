/** Where events are kept that belong to no manifest. No manifest and no namespace can have these names. */
import type { ManifestKey } from './records.ts';

/** Takes the place of the namespace for changes of role bindings. */
export const installationChanges = '@installation';

/** Changes of Secrets, templates, sources and roll-outs. */
export const changesOf = (namespace: string): ManifestKey => ({ namespace, name: '@changes' });
