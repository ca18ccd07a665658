/** What Terraform says about itself: its state, its lock, its plugins and where it gets them. Theirs is no cloud and no Secret of a user. */
import type { CauseRow } from '../../causes/cause-row.ts';

const store =
  'the bucket of the Terraform states, its encryption key, or the role of the runner. The Secret of the provider and the manifest are not the cause';

const notLocked = `Terraform could not lock or unlock its state, and not because another program holds it: check ${store}.`;

/** First match wins; asked before anything about a cloud. */
export const ownRows: readonly CauseRow[] = [
  {
    class: 'platform',
    pattern:
      /failed to (?:save|persist|upload|write|push) (?:the )?state|error (?:saving|uploading|persisting) (?:the )?state|errored\.tfstate/i,
    hint: `Terraform could not store what it did: check ${store}. The cloud may have more than the state knows: let Kubeloom run again before anyone changes this provider by hand.`,
  },
  {
    class: 'platform',
    pattern:
      /error (?:acquiring|locking) (?:the )?(?:destination )?state.{0,2000}(?:AccessDenied|NotImplemented|NoSuchBucket|kms:|KMS\.|InvalidAccessKeyId|ExpiredToken|StatusCode: (?:40[0-4]|5\d\d))/i,
    hint: notLocked,
  },
  {
    class: 'conflict',
    pattern:
      /error (?:acquiring|locking) (?:the )?(?:destination )?state.{0,2000}(?:PreconditionFailed|ConditionalRequestConflict|Lock Info|already locked|StatusCode: 412|resource temporarily unavailable)/i,
    hint: 'Another program works on the same Terraform state. If it keeps failing, check who holds the lock.',
  },
  {
    class: 'platform',
    pattern:
      /error (?:acquiring|locking|releasing) (?:the )?(?:destination )?state|failed to (?:un)?lock (?:the )?state|lock id .{0,200}does not match/i,
    hint: notLocked,
  },
  {
    class: 'platform',
    pattern:
      /unsupported state file format|state file could not be parsed|state snapshot was created by terraform v|newer than current|does not have the expected content|failed to decode (?:current )?state|invalid state file|state data .{0,80}(?:corrupt|expected)|lineage/i,
    hint: 'The object of the Terraform state is damaged or was written by a newer Terraform: restore an earlier version of it in the bucket, or use that version; then retry. Nothing was changed.',
  },
  {
    class: 'platform',
    pattern:
      /error (?:refreshing|loading|reading|inspecting|configuring|initializing) .{0,60}(?:state|backend)|failed to (?:load|read|get|refresh|retrieve) .{0,60}(?:state|workspaces|backend)|unable to (?:list objects in|access) (?:the )?s3 bucket|backend (?:initialization required|configuration changed)|requested bucket|NoSuchBucket/i,
    hint: `Terraform could not read its state: check ${store}.`,
  },
  {
    class: 'platform',
    pattern:
      /match any of the checksums|inconsistent dependency lock file|checksums? (?:previously recorded|mismatch|of the)|locked provider|does not match configured version constraint/i,
    hint: 'A provider plugin is not the one that is pinned: the mirror or the cache of plugins has another file. Check it against the lock file of the release, then retry. It was not run.',
  },
  {
    class: 'platform',
    pattern:
      /failed to (?:install|query available|load plugin|instantiate) ?(?:provider|schemas)?|could not (?:load|retrieve the list of available) .{0,60}(?:plugin|versions)|required plugins are not installed|plugin did not respond|request cancell?ed .{0,60}GRPCProvider|unrecognized remote plugin message|waiting for plugin to start|plugin encountered an error|plugin crashed|failed to read any lines from plugin|missing or corrupted provider|registry service (?:is )?unreachable|error accessing .{0,100}registry|invalid provider registry host|package available for your current platform/i,
    hint: 'Terraform could not get or start a provider plugin: check the mirror or cache of plugins and the network of the runner, and whether its memory is enough. The cloud was not asked.',
  },
  {
    class: 'platform',
    pattern: /terraform crash|panic: runtime error|goroutine \d+ \[running\]|crash\.log/i,
    hint: 'Terraform itself crashed. A retry continues from what its state has; if it crashes again, report it with the log of the stage.',
  },
];
