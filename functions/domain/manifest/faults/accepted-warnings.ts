/** Warnings that the author of a document has accepted by their ids: they are not reported any more. */

import { isMap } from '../../json.ts';
import { nearest } from '../../nearest.ts';
import { acceptableWarnings, type Fault, warning } from './fault.ts';

const annotation = 'kubeloom.dev/accept';

/** Leaves out the warnings that the annotation names; a name that matches none is a warning of its own. */
export function withoutAccepted(document: unknown, warnings: readonly Fault[]): readonly Fault[] {
  const ids = acceptedIn(document);
  const unknown = ids.filter((id) => !acceptableWarnings.some((known) => known === id));
  return [
    ...unknown.map((id) => {
      const near = nearest(id, acceptableWarnings);
      const fix = near === undefined ? `use some of ${acceptableWarnings.join(', ')}` : `did you mean ${near}?`;
      return warning(
        'unknown-warning',
        ['metadata', 'annotations', annotation],
        `no warning has the id "${id.slice(0, 60)}"`,
        fix,
      );
    }),
    ...warnings.filter(({ id }) => id === undefined || !ids.includes(id)),
  ];
}

function acceptedIn(document: unknown): readonly string[] {
  const metadata = isMap(document) && isMap(document.metadata) ? document.metadata : {};
  const text = isMap(metadata.annotations) ? metadata.annotations[annotation] : undefined;
  if (typeof text !== 'string') return [];
  return [...new Set(text.split(/[\s,]+/).filter(Boolean))];
}
