/** The manifest that a document is, or stands for: the only place where the kinds of manifests become one. */

import { z } from 'zod';
import { isMap } from '../../json.ts';
import { InputManifest } from '../schema/input-manifest.ts';
import { manifestOfGroups } from './groups-as-manifest.ts';
import { MachineGroups } from './machine-groups.ts';

export type ReadManifest = { readonly manifest: InputManifest } | { readonly reason: string };

/** The manifest of a document that was accepted before; never throws. */
export function manifestOfDocument(document: unknown): ReadManifest {
  try {
    const isGroups = isMap(document) && document.kind === 'MachineGroups';
    return { manifest: isGroups ? manifestOfGroups(MachineGroups.parse(document)) : InputManifest.parse(document) };
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error;
    return { reason: error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ') };
  }
}
