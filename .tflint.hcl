# tflint over templates/terraform; see docs/conformance.md. Plugins for single clouds are not used: test/providers holds every
# argument against the providers' own schemas.

plugin "terraform" {
  enabled = true
  preset  = "all"
}

# Exact versions are in provider.json, where the runner and the image's build read them. Sources are asked for.
rule "terraform_required_providers" {
  enabled = true
  version = false
}

# Every module has all variables of the contract, as the root gives them all. scripts/lint-modules.sh turns the rule on again
# and wants the description of what is not used to say "Not used" and why, and that of what is used not to.
rule "terraform_unused_declarations" {
  enabled = false
}
