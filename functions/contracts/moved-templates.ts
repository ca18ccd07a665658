/** What is stored about templates of a manifest: what is in use, and what their references name meanwhile. */
import { z } from 'zod';

/** By provider instance, or `documentsKey`: `git:<url>@<commit>#<path>`, or the locator of a Secret. */
const ByUse = z.record(z.string(), z.string());
// Each schema is made at each cold start of a function.
const versions = ByUse.optional();
const text = z.string();
export const maybeText = text.optional();
export const flag = z.literal(true).optional();

/** Templates whose reference names another version than the one in use. */
export const BehindTemplates = z.strictObject({
  /** The version that their reference names now. */
  to: text,
  /** ISO 8601: when that was noticed. */
  since: text,
  /** Why it is not in use yet, a sentence; absent: `onTemplates` says to report it only. */
  because: maybeText,
  /** The plan with it that waits for an approval. */
  plan: maybeText,
  /** It was used and failed: it is not used again until a person requests it, or another commit follows. */
  failed: flag,
});
export type BehindTemplates = z.infer<typeof BehindTemplates>;

/** Versions of templates, and locators of the Secrets of their repositories. */
export const maybePins = z.strictObject({ templates: ByUse, templateSecrets: ByUse }).optional();

/** It has to be found out which versions the references name. */
export const TemplatesAsked = z.strictObject({
  /** ISO 8601; older answers do not count. */
  since: text,
  /** ISO 8601: when the manifest was due for something else. */
  dueAt: maybeText,
});
export type TemplatesAsked = z.infer<typeof TemplatesAsked>;

export const templatesOfRecord = {
  /** Version of the templates of provider instances that have their own, as they were when this was accepted. */
  templates: versions,
  /** Locator of the Secret with the token of a private repository of templates, by provider instance. */
  templateSecrets: versions,
  /** Older releases wrote here what `behind` says now. */
  templatesSeen: versions,
  behind: z.record(text, BehindTemplates).optional(),
  /** Templates that moved are used by this attempt, and no person asked for that: those of before. */
  taking: maybePins,
  templatesAsked: TemplatesAsked.optional(),
};
