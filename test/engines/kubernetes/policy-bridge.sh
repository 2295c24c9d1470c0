#!/bin/sh
# The network plugin of a test cluster: the program `bridge` beside it, and before it runs, rules in the network of a new pod for the
# policies that select it, as a plugin with policies has them. It does so while the file `policies` is in the directory of the
# cluster, CAISSON_TEST_CLUSTER. A number in it is for how many seconds a pod goes without its rules, as with plugins that follow the
# API server. It knows what the policies of Caisson are made of: labels that select, no way in, and as ways out ranges, with
# exceptions, and addresses with a port. Pods as ways out are the DNS of a cluster, which this one does not have.
set -eu
own=$(dirname "$0")
if [ "$CNI_COMMAND" != ADD ] || [ ! -e "$CAISSON_TEST_CLUSTER/policies" ]; then exec "$own/bridge"; fi

of() { echo "$CNI_ARGS" | tr ';' '\n' | sed -n "s/^$1=//p"; }
pod=$(of K8S_POD_NAME) namespace=$(of K8S_POD_NAMESPACE)
ask() { kubectl --kubeconfig "$CAISSON_TEST_CLUSTER/inside.kubeconfig" -n "$namespace" get "$@"; }

# A line for the labels of each policy, and one for each way out.
# shellcheck disable=SC2016 # A template of kubectl.
policies='{{range .items}}select {{range $name, $value := .spec.podSelector.matchLabels}}{{$name}}={{$value}},{{end}}
{{range .spec.egress}}{{$ports := .ports}}{{range .to}}{{with .ipBlock}}{{$range := .cidr}}{{range .except}}except {{.}}
{{end}}{{range $ports}}port {{$range}} {{.protocol}} {{.port}}
{{else}}range {{$range}}
{{end}}{{end}}{{end}}{{end}}{{end}}'

rules_of() {
  is_selected=
  while read -r word first protocol port; do
    case $word in
      select)
        is_selected=$(ask pods --field-selector "metadata.name=$pod" -l "${first%,}" -o name)
        [ -z "$is_selected" ] || printf '%s\n' ':INPUT DROP' ':OUTPUT DROP' '-A INPUT -i lo -j ACCEPT' '-A OUTPUT -o lo -j ACCEPT' \
          '-A INPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT' \
          '-A OUTPUT -m conntrack --ctstate ESTABLISHED,RELATED -j ACCEPT'
        ;;
      *)
        [ -n "$is_selected" ] || continue
        case $word in
          port) echo "-I OUTPUT -d $first -p $(echo "$protocol" | tr '[:upper:]' '[:lower:]') --dport $port -j ACCEPT" ;;
          except) echo "-A OUTPUT -d $first -j DROP" ;;
          range) echo "-A OUTPUT -d $first -j ACCEPT" ;;
        esac
        ;;
    esac
  done
}
apply() {
  printf '*filter\n%s\nCOMMIT\n' "$rules" | nsenter --net="$CNI_NETNS" iptables-restore
  printf '*filter\n:INPUT DROP\n:OUTPUT DROP\nCOMMIT\n' | nsenter --net="$CNI_NETNS" ip6tables-restore
}

text=$(ask networkpolicies -o go-template="$policies")
rules=$(echo "$text" | rules_of)
delay=$(cat "$CAISSON_TEST_CLUSTER/policies")
if [ -n "$rules" ]; then
  if [ "${delay:-0}" -gt 0 ]; then
    (sleep "$delay" && apply) </dev/null >/dev/null 2>&1 &
  else
    apply
  fi
fi
exec "$own/bridge"
