/** What a runner is asked about a cloud that answers with all that it sells. */
import { z } from 'zod';
import { RefreshedType } from '#domain/catalogue/kept-catalogue.ts';

export const CatalogueQuestion = z.strictObject({
  type: RefreshedType,
  /** `locatorText` */
  secret: z.string(),
});
export type CatalogueQuestion = z.infer<typeof CatalogueQuestion>;
