// Reads YAML as Kubernetes does, so that the tests of this folder's crate can compare.
//
// Standard input is any number of texts, each with its length in four bytes before it, the highest
// first. For each text, standard output has a line of JSON.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"

	streams "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// The result of reading a text: a value, or an error.
type answer struct {
	// As a server reads a body: the first document.
	Body      json.RawMessage `json:"body,omitempty"`
	BodyError string          `json:"bodyError,omitempty"`
	// As kubectl reads a file: all documents but for empty ones, up to the first error.
	Stream      []json.RawMessage `json:"stream"`
	StreamError string            `json:"streamError,omitempty"`
}

func read(text []byte) answer {
	answered := answer{Stream: []json.RawMessage{}}
	body, err := yaml.YAMLToJSON(text)
	if err == nil {
		answered.Body = body
	} else {
		answered.BodyError = err.Error()
	}
	decoder := streams.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var document json.RawMessage
		err := decoder.Decode(&document)
		if errors.Is(err, io.EOF) {
			return answered
		}
		if err != nil {
			answered.StreamError = err.Error()
			return answered
		}
		if document = bytes.TrimSpace(document); len(document) > 0 && string(document) != "null" {
			answered.Stream = append(answered.Stream, document)
		}
	}
}

func main() {
	input := bufio.NewReader(os.Stdin)
	output := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(output)
	for {
		var length uint32
		err := binary.Read(input, binary.BigEndian, &length)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			log.Fatal(err)
		}
		text := make([]byte, length)
		if _, err := io.ReadFull(input, text); err != nil {
			log.Fatal(err)
		}
		if err := encoder.Encode(read(text)); err != nil {
			log.Fatal(err)
		}
		if err := output.Flush(); err != nil {
			log.Fatal(err)
		}
	}
}
