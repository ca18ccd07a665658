/** `onTemplates`: what happens when a TemplateGitReference names another commit than the one that is in use. */
import { z } from 'zod';

export const OnTemplates = z.enum(['report', 'propose', 'replace']);
export type OnTemplates = z.infer<typeof OnTemplates>;

/** A provider instance has it, which comes first, and the document. One schema, as each is made at each cold start of a function. */
export const onTemplates = OnTemplates.optional().describe(
  'Kubeloom: what happens when a `templatesRef` names another commit than the one in use. `report` (default): an event and the status say so. `propose`: its plan waits for an approval. `replace`: machines are replaced, pool by pool, and a failure is undone. What a provider says comes before what the document says.',
);
