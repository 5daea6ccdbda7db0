// Prints which fields of Kubernetes' protobuf messages Go writes whether or not they are set. The
// .proto files don't say it: they label every singular field `optional`.
//
//	protobuf-presence
//
// Prints a line for each field: the package, the message, the field, its number, its presence, and
// its name in JSON, or `-` if it has none there. The presence is `pointer` if Go writes the field only
// where it is set. If Go writes it always, it is `kept` if JSON has a zero value of it, too, and
// `value` if JSON omits that or has `null` for it. Presence comes from the encoders themselves: from
// the numbers and keys in Go's zero value.
package main

import (
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"kubernetes-storage.rs/control-plane/cmd/internal/kinds"
)

// The messages that no kind reaches, and of those only the ones that no other of them has.
var unreached = []any{
	autoscalingv1.ContainerResourceMetricSource{},
	autoscalingv1.ContainerResourceMetricStatus{},
	autoscalingv1.ExternalMetricSource{},
	autoscalingv1.ExternalMetricStatus{},
	autoscalingv1.HorizontalPodAutoscalerCondition{},
	autoscalingv1.MetricSpec{},
	autoscalingv1.MetricStatus{},
	corev1.AvoidPods{},
	corev1.PodSignature{},
	corev1.Preconditions{},
	corev1.PreferAvoidPodsEntry{},
	metav1.ApplyOptions{},
	metav1.Duration{},
	metav1.GroupKind{},
	metav1.GroupVersion{},
	metav1.List{},
	metav1.RootPaths{},
	metav1.Timestamp{},
	resource.QuantityValue{},
	resourcev1alpha3.CELDeviceSelector{},
	resourcev1alpha3.DeviceSelector{},
	runtime.Unknown{},
	schedulingv1alpha3.WorkloadCompositePodGroupDisruptionMode{},
	schedulingv1alpha3.WorkloadCompositePodGroupGangSchedulingPolicy{},
	schedulingv1alpha3.WorkloadCompositePodGroupSchedulingConstraints{},
	schedulingv1alpha3.WorkloadCompositePodGroupSchedulingPolicy{},
}

// The fields of messages that have an encoding of their own: their Go types don't name them.
var untagged = map[reflect.Type][]field{
	reflect.TypeFor[metav1.MicroTime]():       moment,
	reflect.TypeFor[metav1.Time]():            moment,
	reflect.TypeFor[resource.Quantity]():      {{"string", 1, "-"}},
	reflect.TypeFor[resource.QuantityValue](): {{"string", 1, "-"}},
}

var moment = []field{{"seconds", 1, "-"}, {"nanos", 2, "-"}}

// The values to write in place of zero values, which these types write as empty messages.
var written = map[reflect.Type]message{
	reflect.TypeFor[metav1.MicroTime](): &metav1.MicroTime{Time: time.Unix(0, 0)},
	reflect.TypeFor[metav1.Time]():      &metav1.Time{Time: time.Unix(0, 0)},
}

type message interface {
	Marshal() ([]byte, error)
	Size() int
}

type field struct {
	name   string
	number int
	json   string
}

func main() {
	all, err := kinds.All()
	if err != nil {
		log.Fatal(err)
	}
	found := map[reflect.Type]bool{}
	for _, kind := range all.AllKnownTypes() {
		reach(kind, found)
	}
	for _, value := range unreached {
		reach(reflect.TypeOf(value), found)
	}
	lines := []string{}
	for one := range found {
		added, err := describe(one)
		if err != nil {
			log.Fatalf("%s.%s: %v", one.PkgPath(), one.Name(), err)
		}
		lines = append(lines, added...)
	}
	sort.Strings(lines)
	out := bufio.NewWriter(os.Stdout)
	for _, line := range lines {
		fmt.Fprintln(out, line)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

// Adds a type and all that its fields lead to.
func reach(one reflect.Type, found map[reflect.Type]bool) {
	if found[one] {
		return
	}
	found[one] = true
	switch one.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		reach(one.Elem(), found)
	case reflect.Map:
		reach(one.Key(), found)
		reach(one.Elem(), found)
	case reflect.Struct:
		for i := range one.NumField() {
			reach(one.Field(i).Type, found)
		}
	}
}

// Returns the lines of a type, none if it isn't a message.
func describe(one reflect.Type) ([]string, error) {
	zero, isMessage := reflect.New(one).Interface().(message)
	if one.Name() == "" || !isMessage {
		return nil, nil
	}
	text, err := json.Marshal(zero)
	if err != nil {
		return nil, err
	}
	kept := keys(text)
	if value, ok := written[one]; ok {
		zero = value
	}
	data, err := zero.Marshal()
	if err != nil {
		return nil, err
	}
	always, err := numbers(data)
	if err != nil {
		return nil, err
	}
	fields, err := fields(one)
	if err != nil {
		return nil, err
	}
	lines := []string{}
	for _, field := range fields {
		presence := "pointer"
		if always[field.number] {
			presence = "value"
			if kept[field.json] {
				presence = "kept"
			}
		}
		delete(always, field.number)
		where := strings.NewReplacer("/", ".", "-", "_").Replace(one.PkgPath())
		lines = append(lines, fmt.Sprintf("%s %s %s %d %s %s", where, one.Name(), field.name, field.number, presence, field.json))
	}
	if len(always) != 0 {
		return nil, fmt.Errorf("no field has the numbers %v, which it writes", always)
	}
	return lines, nil
}

// Returns the fields of a message: those with a tag, or the one of a list.
func fields(one reflect.Type) ([]field, error) {
	if known, ok := untagged[one]; ok {
		return known, nil
	}
	if one.Kind() == reflect.Slice {
		return []field{{"items", 1, "-"}}, nil
	}
	found := []field{}
	if one.Kind() != reflect.Struct {
		return nil, fmt.Errorf("it is neither a struct nor a list: add it to `untagged`")
	}
	for i := range one.NumField() {
		tag := one.Field(i).Tag.Get("protobuf")
		if tag == "" || tag == "-" {
			continue
		}
		// Without a name in its tag, a field has the name of Go's field.
		name := one.Field(i).Name
		next := field{name: strings.ToLower(name[:1]) + name[1:], json: name}
		if json, _, _ := strings.Cut(one.Field(i).Tag.Get("json"), ","); json != "" {
			next.json = json
		} else if one.Field(i).Anonymous {
			// JSON has its fields in the object around it.
			next.json = "-"
		}
		for at, part := range strings.Split(tag, ",") {
			if name, ok := strings.CutPrefix(part, "name="); ok {
				next.name = name
			}
			if at == 1 {
				number, err := strconv.Atoi(part)
				if err != nil {
					return nil, err
				}
				next.number = number
			}
		}
		found = append(found, next)
	}
	return found, nil
}

// Returns the keys of an object in JSON whose values aren't null: none of another value.
func keys(text []byte) map[string]bool {
	found := map[string]bool{}
	object := map[string]json.RawMessage{}
	if json.Unmarshal(text, &object) != nil {
		return found
	}
	for key, value := range object {
		found[key] = string(value) != "null"
	}
	return found
}

// Returns the numbers of the fields in an encoded message.
func numbers(data []byte) (map[int]bool, error) {
	found := map[int]bool{}
	next := func() int {
		value, size := binary.Uvarint(data)
		if size <= 0 {
			data = nil
			return -1
		}
		data = data[size:]
		return int(value)
	}
	for len(data) > 0 {
		key := next()
		skipped := 0
		switch key & 7 {
		case 0:
			next()
		case 1:
			skipped = 8
		case 2:
			skipped = next()
		case 5:
			skipped = 4
		default:
			return nil, fmt.Errorf("the encoding has a field of the unknown wire type %d", key&7)
		}
		if skipped < 0 || skipped > len(data) {
			return nil, fmt.Errorf("the encoding is cut off")
		}
		data = data[skipped:]
		found[key>>3] = true
	}
	return found, nil
}
