// Writes objects of all kinds in which every value is zero, as JSON and as Kubernetes' protobuf.
//
//	protobuf-fixtures FOLDER MANIFESTS
//
// Writes each kind in three forms, whose files are named GROUP.VERSION.KIND.FORM.json and .pb. `zero`
// is Go's zero value, with what documents require: that which JSON never omits. In `parts`, all objects
// that Go holds by a pointer are there, and lists and maps of objects have one, so that the zero value
// of every message is in some file. `whole` has all that can be set: pointers to texts and numbers,
// too, and lists and maps of these.
//
// What Go's JSON has as `null` is left out: it is read as if it weren't there.
//
// Objects in the .yaml files of the folder MANIFESTS are written, too, with a number as their FORM.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/yaml"

	"kubernetes-storage.rs/control-plane/cmd/internal/kinds"
)

// How much of an object is set.
type form struct {
	name string
	// Pointers to objects, and lists and maps of them.
	objects bool
	// Those of other values.
	others bool
}

var forms = []form{
	{"zero", false, false},
	{"parts", true, false},
	{"whole", true, true},
}

// Sets what is in a value, unless two objects of the same type are around it.
func (form form) fill(value reflect.Value, above []reflect.Type) {
	switch value.Kind() {
	case reflect.Struct:
		// What has JSON inside it has its bytes in this field, and no bytes aren't JSON.
		if value.FieldByName("Raw").IsValid() {
			return
		}
		above = append(slices.Clone(above), value.Type())
		for i := range value.NumField() {
			if value.Field(i).CanSet() {
				form.fillField(value.Field(i), value.Type().Field(i).Tag.Get("json"), above)
			}
		}
		settle(value.Addr().Interface())
	case reflect.Pointer:
		if inner, ok := form.inner(value.Type().Elem(), above); ok {
			value.Set(inner.Addr())
		}
	case reflect.Slice:
		// Where JSON omits empty bytes, protobuf has them.
		if value.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		if inner, ok := form.inner(value.Type().Elem(), above); ok {
			value.Set(reflect.Append(value, inner))
		}
	case reflect.Map:
		if inner, ok := form.inner(value.Type().Elem(), above); ok {
			value.Set(reflect.MakeMap(value.Type()))
			value.SetMapIndex(reflect.Zero(value.Type().Key()), inner)
		}
	}
}

// Changes a value that isn't read from JSON as it was written.
func settle(value any) {
	switch value := value.(type) {
	case *metav1.Condition:
		// The crate k8s-openapi reads no `null` for the time.
		value.LastTransitionTime = metav1.Unix(0, 0)
	case *apiextensionsv1.JSONSchemaPropsOrArray,
		*apiextensionsv1.JSONSchemaPropsOrBool,
		*apiextensionsv1.JSONSchemaPropsOrStringArray:
		// JSON has one of the fields only.
		text, err := json.Marshal(value)
		if err == nil {
			err = json.Unmarshal(text, value)
		}
		if err != nil {
			log.Fatalf("%T: %v", value, err)
		}
	}
}

// Sets a field of an object. JSON has `null` for a pointer or bytes that it never omits: documents
// require these.
func (form form) fillField(value reflect.Value, tag string, above []reflect.Type) {
	form.fill(value, above)
	switch {
	case tag == "" || strings.Contains(tag, ",omit") || !value.IsZero():
	case value.Kind() == reflect.Pointer:
		inner := reflect.New(value.Type().Elem())
		form.fill(inner.Elem(), above)
		value.Set(inner)
	case value.Kind() == reflect.Slice && value.Type().Elem().Kind() == reflect.Uint8:
		value.SetBytes([]byte{})
	}
}

// Returns a value to be held by a pointer, a list or a map, if the form has it.
func (form form) inner(one reflect.Type, above []reflect.Type) (reflect.Value, bool) {
	isObject := one.Kind() == reflect.Struct
	times := 0
	for _, other := range above {
		if other == one {
			times++
		}
	}
	if isObject && !form.objects || !isObject && !form.others || times > 1 {
		return reflect.Value{}, false
	}
	value := reflect.New(one).Elem()
	form.fill(value, above)
	text, err := json.Marshal(value.Addr().Interface())
	return value, err == nil && string(text) != "null"
}

// Writes an object in both formats.
func write(folder, form string, object runtime.Object, all *runtime.Scheme) error {
	kind := object.GetObjectKind().GroupVersionKind()
	group := kind.Group
	if group == "" {
		group = "core"
	}
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	var bytes bytes.Buffer
	if err := protobuf.NewSerializer(all, all).Encode(object, &bytes); err != nil {
		return err
	}
	stem := filepath.Join(folder, fmt.Sprintf("%s.%s.%s.%s", group, kind.Version, kind.Kind, form))
	if err := os.WriteFile(stem+".json", text, 0o644); err != nil {
		return err
	}
	return os.WriteFile(stem+".pb", bytes.Bytes(), 0o644)
}

// Writes the objects of a kind.
func writeForms(folder string, kind schema.GroupVersionKind, all *runtime.Scheme) error {
	for _, form := range forms {
		object, err := all.New(kind)
		if err != nil {
			return err
		}
		form.fill(reflect.ValueOf(object).Elem(), nil)
		object.GetObjectKind().SetGroupVersionKind(kind)
		if err := write(folder, form.name, object, all); err != nil {
			return err
		}
	}
	return nil
}

// Writes the objects in a file, as many as are known kinds, and returns their number.
func writeManifest(folder, path string, from int, all *runtime.Scheme) (int, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	documents := yaml.NewYAMLReader(bufio.NewReader(file))
	reader := serializer.NewCodecFactory(all).UniversalDeserializer()
	for written := 0; ; {
		text, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return written, nil
		}
		if err != nil {
			return 0, err
		}
		object, _, err := reader.Decode(text, nil, nil)
		if runtime.IsNotRegisteredError(err) || runtime.IsMissingKind(err) {
			continue
		}
		if err != nil {
			return 0, err
		}
		if err := write(folder, strconv.Itoa(from+written), object, all); err != nil {
			return 0, err
		}
		written++
	}
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("protobuf-fixtures: ")
	if len(os.Args) != 3 {
		log.Fatal("give the folder to write into, and that of manifests")
	}
	all, err := kinds.All()
	if err != nil {
		log.Fatal(err)
	}
	options := reflect.TypeFor[metav1.ListOptions]().PkgPath()
	for kind, one := range all.AllKnownTypes() {
		// Events of watches and options of requests are kinds of every group.
		if one.PkgPath() == options || kind.Version == runtime.APIVersionInternal {
			continue
		}
		if err := writeForms(os.Args[1], kind, all); err != nil {
			log.Fatalf("%v: %v", kind, err)
		}
	}
	written := 0
	err = filepath.WalkDir(os.Args[2], func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		more, err := writeManifest(os.Args[1], path, written, all)
		written += more
		return err
	})
	if err != nil {
		log.Fatal(err)
	}
}
