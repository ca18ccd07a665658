/** What a cloud's answer means: its code before the status before the words (docs/troubleshooting.md). Pure. */
import { type CauseRow, type Meaning, matchable, rowFor } from './cause-row.ts';
import { meaningOfCodes } from './cloud-code-table.ts';
import { codesIn, statusIn } from './cloud-codes.ts';
import { cloudMeanings as means } from './cloud-meanings.ts';
import { clearStatuses, meaningOfStatus } from './unknown-answers.ts';

/** Words of clouds that gave no code, and of Terraform providers about their own data. First match wins. */
const wordRows: readonly CauseRow[] = [
  {
    ...means.ambiguous,
    pattern:
      /query returned (?:no|more than one|multiple) results?|multiple .{1,60} (?:found|matched)|no .{1,60} (?:found|matched) (?:matching|with|for|that)|found 0 .{1,40}|more than one .{1,40} (?:found|matches|exists)/i,
  },
  {
    ...means.clock,
    pattern:
      /signature (?:not yet current|expired)|not within the valid time|request time .{0,60}too (?:skewed|large)/i,
  },
  { ...means.rate, pattern: /throttl|rate.?limit|too ?many ?requests/i },
  { ...means.verification, pattern: /being validated|pending verification|account .{0,60}(?:verified|verification)/i },
  {
    ...means.quota,
    pattern:
      /quota|limit ?exceeded|exceed(?:s|ed|ing)? (?:the |your |account )?(?:[\w ]{0,60} )?limit|limit (?:has been |was )?reached|reached (?:the |your )?.{0,60}limit|maximum number of (?!attempts|retries|times)/i,
  },
  {
    ...means.capacity,
    pattern:
      /out of (?:host )?capacity|(?:not|n't) have enough (?:resources|capacity|sufficient)|insufficient capacity|no valid host|(?:server type|instance type|size|shape|flavor|zone|vm instance|accelerator)[^\n]{0,300}(?:unavailable|not available|no capacity)|sold out|out of stock|no (?:available )?capacity|no availability|not enough capacity/i,
  },
  {
    ...means.failedMachine,
    pattern: /unexpected state ['"]?error|went to ERROR|became ERROR|instance .{0,200}\bin ERROR/i,
  },
  { ...means.terms, pattern: /accept(?:ed)? (?:the )?(?:legal )?terms|requires? plan information|marketplace/i },
  {
    ...means.account,
    pattern:
      /not registered to use|has not been used in project|billing (?:account|is)|insufficient (?:funds|balance|credit)|account is (?:locked|suspended|disabled)|payment|not subscribed|opt.?in/i,
  },
  { ...means.tooSmall, pattern: /instance size must|size must be at least|too small for/i },
  {
    ...means.policy,
    pattern: /is protected|protection is enabled|deletion protection|disallowed by policy|deny.?assignment/i,
  },
  {
    ...means.login,
    pattern:
      /invalid signature|authentication (?:failed|required|error)|unable to authenticate|could not find default credentials|no valid credential|invalid[_ -]?(?:grant|token|credentials|api[ -]?key|application key)|unauthorized|token .{0,40}(?:expired|revoked|invalid)|not (?:logged in|authenticated)|missing credentials|bad configuration|configuration for private key|could not be determined and was not specified|shared config profile|(?:application|consumer) key (?:is )?(?:invalid|missing)/i,
  },
  {
    ...means.permission,
    pattern:
      /access ?denied|permission denied|permission .{1,120} denied|required .{1,80} permission|not authorized|does not have (?:permission|authorization)|insufficient (?:permissions|privileges)|forbidden|not been granted/i,
  },
  {
    ...means.taken,
    pattern: /already exists|name is already used|is already (?:in use|taken|used)|duplicate|not unique/i,
  },
  {
    ...means.busy,
    pattern:
      /is (?:being used|in use|locked|still used)|has a dependent object|in progress|another operation|currently (?:busy|being)|resource is busy|conflict/i,
  },
  {
    class: 'bug',
    hint: 'The templates of this provider type do not fit. Report it with the log of the stage.',
    pattern:
      /unsupported (?:argument|block type|attribute)|missing required argument|reference to undeclared|invalid reference|module not (?:installed|found)|unreadable module|no value for required variable|missing newline|invalid expression|invalid (?:function argument|for_each argument|count argument|index)|cycle: /i,
  },
  {
    class: 'bug',
    hint: 'The plugin of the provider contradicts itself. A retry continues from what exists; if it fails again, report it with the log of the stage.',
    pattern: /inconsistent (?:result|final plan)|provider produced invalid|this is a bug in the provider/i,
  },
  {
    ...means.input,
    pattern:
      /invalid (?:image|server type|region|zone|location|machine type|value|parameter|argument|character)|(?:image|(?:server|instance|machine) type|flavor|shape|size|region|zone|location|network|plan)\b[^\n]{0,300}(?:not (?:found|exist|supported|valid)|deprecated|unknown)|not a valid|could not (?:find|be found)|unable to find|not found|does not exist|deprecated|unsupported/i,
  },
];

/** Words of a network, or of a service that breaks: only where no refusal was given. */
const outages: readonly CauseRow[] = [
  {
    ...means.outage,
    pattern:
      /time[d ]?-?out|deadline exceeded|connection (?:reset|refused|closed)|TLS handshake|unexpected EOF|\bEOF\b|no such host|network is unreachable|no route to host|service unavailable|internal (?:server )?error|server error|bad gateway|try again|temporar(?:y|ily)|broken pipe|context canceled|http2:/i,
  },
  {
    class: 'platform',
    hint: 'The disk or memory of the machine that runs Terraform is used up: give the runner more. Nothing is wrong with the cloud.',
    pattern: /no space left on device|cannot allocate memory|signal: killed/i,
  },
];

/** What it means; undefined where neither code nor status nor words are known. */
export function cloudMeaning(raw: string): Meaning | undefined {
  const text = matchable(raw);
  const status = statusIn(text);
  const known = meaningOfCodes(codesIn(text));
  if (known !== undefined && !known.vague) return known.meaning;
  const ofStatus = known?.meaning ?? (status === undefined ? undefined : meaningOfStatus(status));
  if (status !== undefined && clearStatuses.has(status)) return ofStatus;
  const said = rowFor(wordRows, [text]);
  // A refusal may be refined by words, a failure of the service only as far as it is full.
  const failed = (status ?? 0) >= 500 || ofStatus?.class === 'transient';
  if (said !== undefined && (!failed || said.class === 'quota' || said.class === 'capacity')) return said;
  return ofStatus ?? rowFor(outages, [text]);
}
