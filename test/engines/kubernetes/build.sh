#!/usr/bin/env bash
# build.sh MIRROR WORK OUT: builds the control plane and the node agent of Kubernetes from Debian's source package, with Debian's
# compiler. Nothing is installed on the system: apt-get works on lists and sources of its own. OUT gets bin/ and cni/.
set -euo pipefail
mirror=$1 work=$2 out=$3
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
apt=$work/apt root=$work/root

mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$root" "$out/bin" "$out/cni"
: >"$apt/status"
for kind in deb deb-src; do
  echo "$kind [signed-by=$keyring] $mirror bookworm main"
done >"$apt/sources.list"
get() {
  (cd "$apt" && apt-get -q -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=- \
    -o Dir::State::Lists="$apt/lists" -o Dir::State::status="$apt/status" -o Dir::Cache::Archives="$apt/archives" \
    -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= -o APT::Sandbox::User= "$@")
}
get update
get source --download-only kubernetes
get download golang-1.19-go golang-1.19-src etcd-server etcd-client containernetworking-plugins kubernetes-client \
  golang-github-modern-go-reflect2-dev
for deb in "$apt"/*.deb; do dpkg-deb -x "$deb" "$root"; done

export GOROOT=$root/usr/lib/go-1.19 GOPATH=$work/go GOCACHE=$work/cache GO111MODULE=off CGO_ENABLED=0 GOFLAGS=-trimpath
export PATH=$GOROOT/bin:$PATH

tree=$GOPATH/src/k8s.io/kubernetes
mkdir -p "$tree"
tar -C "$tree" --strip-components=1 -xzf "$apt"/kubernetes_*.orig.tar.gz
# The vendored release of this package does not know the layout of maps since Go 1.18.
rm -r "$tree/vendor/github.com/modern-go/reflect2"
cp -r "$root/usr/share/gocode/src/github.com/modern-go/reflect2" "$tree/vendor/github.com/modern-go/"
cd "$tree"

# One generated file is not in the source package.
go build -o "$work/openapi-gen" ./vendor/k8s.io/kube-openapi/cmd/openapi-gen
list=$(grep -rlE --include='*.go' '^// \+k8s:openapi-gen=' pkg staging/src/k8s.io |
  grep -vE '_test.go|zz_generated|code-generator|sample-|testdata' | xargs -n1 dirname | sort -u |
  sed -e 's#^staging/src/#k8s.io/kubernetes/vendor/#' -e 's#^pkg/#k8s.io/kubernetes/pkg/#' | paste -sd,)
"$work/openapi-gen" --logtostderr -h hack/boilerplate/boilerplate.generatego.txt -i "$list" \
  -p k8s.io/kubernetes/pkg/generated/openapi -O zz_generated.openapi -r "$work/violations" 2>/dev/null

version=v1.20.2 flags='-s -w'
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
  for prefix in '' k8s.io/kubernetes/vendor/; do
    for pair in gitVersion=$version gitMajor=1 gitMinor=20 gitTreeState=clean buildDate=2021-01-13T13:20:00Z; do
      flags+=" -X $prefix$package.$pair"
    done
  done
done
go build -p 2 -tags providerless -ldflags "$flags" -o "$out/bin/" \
  ./cmd/kube-apiserver ./cmd/kube-controller-manager ./cmd/kube-scheduler ./cmd/kubelet
cp "$root/usr/bin/etcd" "$root/usr/bin/kubectl" "$out/bin/"
cp "$root"/usr/lib/cni/{bridge,host-local,portmap,loopback} "$out/cni/"
