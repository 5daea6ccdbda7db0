// Reads bodies in Kubernetes' protobuf as a server does, and writes them again.
//
//	protobuf-oracle
//
// A body on the standard input has its length before it, in four bytes with the highest first. The
// answer on the standard output is a byte, 0 for a body or 1 for an error, and then the body or the
// message with its length, likewise. The program ends with its input.
package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"os"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// Reads a body of the kind that it names, and writes it again.
func again(serializer *protobuf.Serializer, body []byte) (written []byte, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panic: %v", cause)
		}
	}()
	object, _, err := serializer.Decode(body, nil, nil)
	if err != nil {
		return nil, err
	}
	var output bytes.Buffer
	if err := serializer.Encode(object, &output); err != nil {
		return nil, err
	}
	return output.Bytes(), nil
}

func next(input io.Reader) ([]byte, error) {
	var length [4]byte
	if _, err := io.ReadFull(input, length[:]); err != nil {
		return nil, err
	}
	body := make([]byte, binary.BigEndian.Uint32(length[:]))
	_, err := io.ReadFull(input, body)
	return body, err
}

func answer(output io.Writer, sort byte, body []byte) error {
	head := append([]byte{sort}, binary.BigEndian.AppendUint32(nil, uint32(len(body)))...)
	_, err := output.Write(append(head, body...))
	return err
}

func run() error {
	kinds := runtime.NewScheme()
	if err := scheme.AddToScheme(kinds); err != nil {
		return err
	}
	metav1.AddToGroupVersion(kinds, metav1.Unversioned)
	serializer := protobuf.NewSerializer(kinds, kinds)
	input := bufio.NewReader(os.Stdin)
	output := bufio.NewWriter(os.Stdout)
	for {
		body, err := next(input)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		written, err := again(serializer, body)
		if err != nil {
			err = answer(output, 1, []byte(err.Error()))
		} else {
			err = answer(output, 0, written)
		}
		if err != nil {
			return err
		}
		if input.Buffered() == 0 {
			if err := output.Flush(); err != nil {
				return err
			}
		}
	}
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("protobuf-oracle: ")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}
